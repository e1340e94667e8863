import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { InvalidInput } from '../src/lib/errors.ts';
import { takePlace } from '../src/limits/admission.ts';
import type { Services } from '../src/services.ts';
import { healthPaths } from './engine/exchange.ts';
import { refuseEarly } from './pages/frame/refuse.ts';

/** Not subject to admission control: monitoring must work when the process is overloaded. */
const alwaysOpen = new Set([...healthPaths, '/metrics']);

/**
 * Applies admission control to every request. A request that waits too long is 429. A request whose body has not
 * arrived holds no slot (`src/limits/admission.ts`).
 */
export function controlAdmission(services: Services): RequestHandler {
  return (request, response, next) => {
    if (alwaysOpen.has(request.path) || hasNoCredential(request)) return next();
    takePlace(services.admissionControl, request, response, (refusal) =>
      refusal ? refuseEarly(services, request, response, refusal) : next(),
    );
  };
}

/**
 * Below the REST surfaces a request without a credential gets a 401, which precedes a 429 (contract 5) and needs no
 * database.
 */
function hasNoCredential({ path, headers }: { path: string } & Pick<IncomingMessage, 'headers'>): boolean {
  return path.startsWith('/api/') && headers.authorization === undefined && headers.cookie === undefined;
}

/** The maximum length of a header. Browsers send a tenth of it. */
const charactersMax = 1_000;

/**
 * Truncates the headers that select an answer. They are lists whose entries are compared and sorted, and some readers
 * repeat them in their answers.
 */
export function boundHeaders({ headers }: Pick<IncomingMessage, 'headers'>): void {
  for (const name of ['accept', 'accept-encoding', 'accept-language'] as const) {
    const value = headers[name];
    if (value !== undefined && value.length > charactersMax) headers[name] = value.slice(0, charactersMax);
  }
}

/** Paths for load balancers and monitoring, which use addresses. They disclose nothing secret, or require a token. */
const openToAny = [...healthPaths, '/metrics'];

/**
 * Rejects requests for another host with 421. The page of another site cannot forge the Host header, so if that site's
 * name resolves to this server (DNS rebinding), its page still cannot read what the browser may access here.
 */
export function checkHost(services: Services): RequestHandler {
  const openToAnyHost = new Set(openToAny);
  const allowed = new Set(services.config.allowedHosts);
  // Metrics without a token are for programs on this machine, and not for another site's page in its browser.
  if (services.config.metrics.token === null) openToAnyHost.delete('/metrics');
  return (request, response, next) => {
    if (hostsIn(request) > 1) {
      const message = 'The header Host was sent more than once: send one.';
      return refuseEarly(services, request, response, new InvalidInput([{ path: '', message }], message));
    }
    // Its host would count in place of the header's, by which a proxy may have routed the request.
    if (!request.url.startsWith('/') && request.url !== '*') {
      const message = 'The target of the request is a whole address: send its path, and the host in the header Host.';
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

/** Node uses the first Host header, but a proxy may have routed the request by another one. */
function hostsIn({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length;
}
