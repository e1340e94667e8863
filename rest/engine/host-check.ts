import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { InvalidInput } from '../../src/kit/errors.ts';
import type { Services } from '../../src/services.ts';
import { refuseEarly } from './refuse-early.ts';

/**
 * Load balancers and monitoring use addresses. These paths tell nothing that a page could not know, or need a token.
 */
const openToAny = ['/health/live', '/health/ready', '/metrics'];

/**
 * Refuses requests for another host with 421. The page of another site cannot forge the Host header, so a name that it
 * points at this server (DNS rebinding) does not let it read what a browser may reach here.
 */
export function checkHost(services: Services): RequestHandler {
  const openToAnyHost = new Set(openToAny);
  const allowed = new Set(services.config.allowedHosts);
  // Metrics that ask for no token are for programs of this machine, not for the page of another site in its browser.
  if (services.config.metrics.token === null) openToAnyHost.delete('/metrics');
  return (request, response, next) => {
    if (hostsIn(request) > 1) {
      const message = 'The header Host was sent more than once: send one.';
      return refuseEarly(services, request, response, new InvalidInput([{ path: '', message }], message));
    }
    if (openToAnyHost.has(request.path) || allowed.has(hostNameOf(request.headers.host))) return next();
    const message =
      'This host name is not served here: use the address in PUBLIC_URL. An operator can allow others with ' +
      'ALLOWED_HOSTS.';
    refuseEarly(services, request, response, new InvalidInput([], message, 'MISDIRECTED_REQUEST', 421));
  };
}

/** The name without the port: proxies and containers forward other ports. */
function hostNameOf(host = ''): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** Node uses the first, but a proxy may have routed the request by another one. */
function hostsIn({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length;
}
