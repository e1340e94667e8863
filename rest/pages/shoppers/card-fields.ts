import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  challengePage,
  type FramePage,
  type FrameVisitor,
  fieldsPage,
  readFields,
  readFraming,
  returnPage,
  scriptAlias,
  scriptFile,
  submitCard,
} from '../../../src/domains/card-fields/public.ts';
import { Forbidden } from '../../../src/lib/errors.ts';
import { addressLimit, countAddress } from '../../../src/limits/windows.ts';
import type { Services } from '../../../src/services.ts';
import { readBody } from '../../engine/body.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import { wordsFor } from '../../engine/reader.ts';
import { sendJson } from '../../engine/respond.ts';
import { createAsset, forever, sendAsset } from '../frame/assets.ts';
import { CheckoutForm } from '../frame/forms.ts';

const bodyBytesMax = 16 * 1024;
/** Calls per minute of one address (IPv6: its /64), which many visitors may share. */
const limits = { pages: 1_200, read: 1_200, submit: 200 } as const;

/**
 * Card fields on the pages of merchants: their script, the pages in their frames, and the requests of these. Written by
 * hand because it serves visitors, who have no key. The client secret is in a body, never in a URL.
 */
export function cardFieldsRoutes(services: Services): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  const count = addressLimit(services, limits.pages);
  const ask = (
    path: string,
    kind: 'read' | 'submit',
    work: (body: CheckoutForm, request: Request) => Promise<object>,
  ) =>
    router.post(path, async (request, response) => {
      assertOwnFrame(services, request);
      await countAddress(services, `fields-${kind}`, request.ip, limits[kind]);
      const answer = await work(new CheckoutForm(await readBody(services, request, bodyBytesMax)), request);
      sendJson(request, response, 200, answer);
    });
  const show = (path: string, page: FramePage, morePolicy: string, ownAncestors: readonly string[] = []) =>
    router.get(path, async (request: Request<{ sessionId: string }>, response) => {
      count(request.ip);
      const framing = await readFraming(services, request.params.sessionId);
      sendFrame(response, { ...framing, words: wordsFor(request) }, page, { morePolicy, ownAncestors });
    });

  router.get(scriptAlias, (request, response) => sendScript(request, response, 'public, max-age=3600'));
  router.get(scriptFile.path, (request, response) => sendScript(request, response, forever));
  show('/fields/frame/:sessionId', fieldsPage, "connect-src 'self'; frame-src 'none'");
  show('/fields/challenge/:sessionId', challengePage, "connect-src 'none'; img-src 'self'; frame-src 'self' https:");
  // The page of a challenge frames this one, and the merchant's page frames that.
  show('/fields/return/:sessionId', returnPage, "connect-src 'none'; img-src 'self'; frame-src 'none'", ["'self'"]);

  ask('/fields/session', 'read', (body, request) =>
    readFields(services, { ...from(request), ...body.checked({ clientSecret: body.secret('clientSecret') }) }),
  );
  ask('/fields/submit', 'submit', async (body, request) => {
    const { clientSecret, ...attempt } = body.checked({
      clientSecret: body.secret('clientSecret'),
      attemptId: body.handle('attemptId'),
      card: body.card(),
    });
    const { token, card } = await submitCard(services, { ...from(request), clientSecret }, attempt);
    // The fields that a page may see: without the fingerprint, by which numbers could be compared.
    const { brand, last4, expMonth, expYear } = card;
    return { token, card: { brand, last4, expMonth, expYear } };
  });
  return router;
}

function from(request: Request): { requestId: string; ip: string } {
  return { requestId: exchangeOf(request).requestId, ip: request.ip ?? '' };
}

/** Only the page in the fields' frame may call: its requests have the platform's Origin header. */
function assertOwnFrame({ config }: Pick<Services, 'config'>, { headers }: Request): void {
  const site = headers['sec-fetch-site'];
  const isOwn = headers.origin !== undefined && config.allowedOrigins.includes(headers.origin);
  if (!isOwn || (site !== undefined && site !== 'same-origin'))
    throw new Forbidden('origin_not_allowed', 'origin_not_allowed: this is for the card fields of this platform only.');
}

const script = createAsset('v1.js', scriptFile.content);

/** Any page may load the script and check its hash. */
function sendScript(request: Request, response: Response, cacheControl: string): Promise<void> {
  response.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
  return sendAsset(request, response, script, cacheControl);
}

/** A page that must not be framed is 404: its session does not exist, or ended long ago. */
function sendFrame(
  response: Response,
  visitor: FrameVisitor,
  page: FramePage,
  { morePolicy, ownAncestors }: { morePolicy: string; ownAncestors: readonly string[] },
): void {
  const { origins } = visitor;
  const { html, policy } = page.render(visitor);
  const ancestors = origins.length === 0 ? "'none'" : [...ownAncestors, ...origins].join(' ');
  response.removeHeader('X-Frame-Options');
  response
    .status(origins.length === 0 ? 404 : 200)
    .set({
      'Content-Security-Policy':
        `default-src 'none'; ${policy}; ${morePolicy}; base-uri 'none'; form-action 'none'; ` +
        `frame-ancestors ${ancestors}; require-trusted-types-for 'script'`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    })
    .type('text/html; charset=utf-8')
    .send(html);
}
