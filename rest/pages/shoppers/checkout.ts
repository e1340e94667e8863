import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  acceptOffer,
  type CheckoutView,
  continueCheckout,
  declineOffer,
  enterFunnel,
  leaveLanding,
  payCheckout,
  readChallenge,
  readCheckout,
  readVisitPlace,
  tokenHashOf,
  type VisitFrom,
} from '../../../src/domains/funnels/public.ts';
import { type Cookie, cookieAt } from '../../../src/lib/cookies.ts';
import { DomainError, NotFound } from '../../../src/lib/errors.ts';
import { countAddress, countAttempt } from '../../../src/limits/windows.ts';
import type { Services } from '../../../src/services.ts';
import { readBody } from '../../engine/body.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import { cookieNamed, languageFor, wordsFor } from '../../engine/reader.ts';
import { sendJson } from '../../engine/respond.ts';
import { CheckoutForm } from '../frame/forms.ts';
import { type Explanation, refuse } from '../frame/refuse.ts';
import { assertVisitorPage, corsHeaders, preflightHeaders } from '../frame/visitor.ts';

const root = '/checkout/sessions/:token';
const bodyBytesMax = 16 * 1024;

/** Calls per minute of one session and of one address (IPv6: its /64), which many visitors may share. */
const limits = {
  read: { session: 120, address: 1_200 },
  act: { session: 20, address: 200 },
  enter: { address: 60 },
} as const;

/**
 * The API of a funnel's pages, authorized by the token of a session instead of a key. Written by hand because it serves
 * visitors, who have no key, and accepts cards from a browser. Each route is one operation of `src/domains/funnels`.
 */
export function checkoutRoutes(services: Services): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  const act = (path: string, work: (from: VisitFrom, body: CheckoutForm) => Promise<CheckoutView>): void => {
    router.post(
      `${root}/${path}`,
      answer(services, 'act', async (from, request) =>
        work(from, new CheckoutForm(await readBody(services, request, bodyBytesMax))),
      ),
    );
  };
  router.get(
    root,
    answer(services, 'read', (from) => readCheckout(services, from)),
  );
  act('next', (from, body) => leaveLanding(services, from, body.checked({ stepId: body.handle('stepId') })));
  act('pay', (from, body) =>
    payCheckout(
      services,
      from,
      body.checked({
        stepId: body.handle('stepId'),
        attemptId: body.handle('attemptId'),
        email: body.email('email'),
        card: body.card(),
      }),
    ),
  );
  act('accept', (from, body) =>
    acceptOffer(services, from, body.checked({ stepId: body.handle('stepId'), attemptId: body.handle('attemptId') })),
  );
  act('decline', (from, body) => declineOffer(services, from, body.checked({ stepId: body.handle('stepId') })));
  act('continue', (from, body) => continueCheckout(services, { ...from, ...body.checked({}) }));
  router.options(
    [root, `${root}/{*rest}`],
    (request, response) =>
      void response
        .set({ ...corsHeaders(request), ...preflightHeaders })
        .status(204)
        .end(),
  );

  router.get(
    `${root}/challenge`,
    redirect(services, async (from, _request, response) => {
      const { sessionId, challengeUrl, url } = await readChallenge(services, from);
      if (challengeUrl === null) return url;
      // The issuer redirects the visitor back to a URL without the token, which a cookie stores in the meantime.
      const { name, options } = returnCookie(services, sessionId);
      response.cookie(name, from.token, { ...options, maxAge: challengeMaxMs });
      return challengeUrl;
    }),
  );
  // For a page whose session has ended or is at another step: redirects to the right page, or shows the error with the
  // shop's brand.
  router.get(
    `${root}/page`,
    redirect(services, async (from) => (await readCheckout(services, from)).url),
  );
  router.get(
    '/checkout/funnels/:funnelId',
    redirect(services, async ({ requestId, ip }, { params: { funnelId = '' } }) => {
      await countAddress(services, 'checkout-enter', ip, limits.enter.address);
      return enterFunnel(services, String(funnelId), { requestId, ip });
    }),
  );
  router.get(
    '/checkout/return/:sessionId',
    redirect(services, async (from) => (await readCheckout(services, from)).url),
  );
  return router;
}

const challengeMaxMs = 3_600_000;

/**
 * Only for the way back. A page of another site can make a browser collect any number of these cookies: sent with every
 * request, they would exceed the limit of headers and keep a person out of the whole platform.
 */
function returnCookie({ config }: Services, sessionId: string): Cookie {
  return cookieAt(config.publicUrl, `checkout_${sessionId}`, { path: '/checkout/return' });
}

/** A route that the browser navigates to: the URL of a funnel, a challenge, and the return from it. It redirects. */
function redirect(
  services: Services,
  urlFor: (from: VisitFrom, request: Request, response: Response) => Promise<string | null>,
): RequestHandler<Record<string, string>> {
  return async (request, response) => {
    try {
      const ip = request.ip ?? '';
      // A link may set the language of the pages to which it leads.
      languageFor(request, response);
      await countAddress(services, 'checkout-read', ip, limits.read.address);
      const { token, sessionId = '' } = request.params;
      const url = await urlFor(
        {
          token: token ?? cookieNamed(request, returnCookie(services, sessionId)),
          requestId: exchangeOf(request).requestId,
          ip,
        },
        request,
        response,
      );
      if (url === null) throw new NotFound('Page not found.');
      response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).redirect(303, url);
    } catch (error) {
      refuse(services, request, response, error, await explanationOf(services, request, error));
    }
  };
}

/** The text for a shopper whose checkout cannot be opened, with the shop's brand, and a link to continue. */
async function explanationOf(
  services: Services,
  request: Request<Record<string, string>>,
  error: unknown,
): Promise<Explanation> {
  const { funnelId, token, sessionId } = request.params;
  // The page of an error must not fail, as the database may be unavailable.
  const place = await readVisitPlace(services, { funnelId, token, sessionId }).catch(() => null);
  if (!place || !(error instanceof DomainError)) return { brand: place?.brand ?? null };
  const { text } = wordsFor(request);
  const said = (key: 'checkout.over' | 'checkout.closed' | 'checkout.elsewhere'): Explanation => ({
    brand: place.brand,
    title: text(key),
    sentence: text(`${key}.text`),
  });
  switch (error.status) {
    case 410: {
      const href = place.funnelId === null ? null : `${services.config.publicUrl}/checkout/funnels/${place.funnelId}`;
      return { ...said('checkout.over'), link: href === null ? null : { href, label: text('checkout.again') } };
    }
    case 403:
      return said('checkout.closed');
    // The session exists, but the cookie for it is missing.
    case 404:
      return sessionId === undefined ? { brand: place.brand } : said('checkout.elsewhere');
    default:
      return { brand: place.brand };
  }
}

function answer(
  services: Services,
  kind: 'read' | 'act',
  work: (from: VisitFrom, request: Request<{ token: string }>) => Promise<CheckoutView>,
): RequestHandler<{ token: string }> {
  return async (request, response) => {
    response.set(corsHeaders(request));
    assertVisitorPage(services.config, request);
    const { token } = request.params;
    const ip = request.ip ?? '';
    await countAddress(services, `checkout-${kind}`, ip, limits[kind].address);
    await countAttempt(services, `checkout-${kind}/session/${tokenHashOf(token)}`, limits[kind].session);
    const from = { token, requestId: exchangeOf(request).requestId, ip, language: languageFor(request) };
    sendJson(request, response, 200, await work(from, request));
  };
}
