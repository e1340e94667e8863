import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Env } from '../../src/env.ts';
import type { CheckoutView, VisitFrom } from '../../src/funnels/checkout-session.ts';
import {
  acceptOffer,
  continueCheckout,
  declineOffer,
  enterFunnel,
  leaveLanding,
  payCheckout,
  readChallenge,
  readCheckout,
} from '../../src/funnels/checkout.ts';
import { tokenHashOf } from '../../src/funnels/checkout-token.ts';
import { countAttempt } from '../../src/identity/attempts.ts';
import { NotFound } from '../../src/kit/errors.ts';
import { readBody } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';
import { CheckoutForm } from './checkout-form.ts';
import { assertOwnPage, corsHeaders, preflightHeaders } from './own-page.ts';

const root = '/checkout/sessions/:token';
const bodyBytesMax = 16 * 1024;

/** Calls a minute: of one session, and from one address, behind which a whole office may sit. */
const limits = {
  read: { session: 120, address: 1_200 },
  act: { session: 20, address: 200 },
  enter: { address: 60 },
} as const;

/**
 * What a page of a funnel may do, with the secret of its session in place of a key. No document can be it: it serves visitors, who
 * have no key, and takes cards from a browser. Each route is one operation of `src/funnels/checkout.ts`.
 */
export function checkoutRoutes(env: Env): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  const act = (path: string, work: (from: VisitFrom, body: CheckoutForm) => Promise<CheckoutView>): void => {
    router.post(
      `${root}/${path}`,
      answer(env, 'act', async (from, request) => work(from, new CheckoutForm(await readBody(request, bodyBytesMax)))),
    );
  };
  router.get(
    root,
    answer(env, 'read', (from) => readCheckout(env, from)),
  );
  act('next', (from, body) => leaveLanding(env, from, body.checked({ stepId: body.handle('stepId') })));
  act('pay', (from, body) =>
    payCheckout(
      env,
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
    acceptOffer(env, from, body.checked({ stepId: body.handle('stepId'), attemptId: body.handle('attemptId') })),
  );
  act('decline', (from, body) => declineOffer(env, from, body.checked({ stepId: body.handle('stepId') })));
  act('continue', (from) => continueCheckout(env, from));
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
    visit(env, async (from, _request, response) => {
      const { sessionId, bankUrl, url } = await readChallenge(env, from);
      if (bankUrl === null) return url;
      // The bank sends the visitor back to an address without the secret, which waits in this browser meanwhile.
      response.cookie(cookieOf(sessionId), from.token, {
        path: '/checkout/return',
        httpOnly: true,
        sameSite: 'lax',
        secure: env.config.publicUrl.startsWith('https:'),
        maxAge: waitMs,
      });
      return bankUrl;
    }),
  );
  router.get(
    '/checkout/funnels/:funnelId',
    visit(env, async ({ requestId, ip }, { params: { funnelId = '' } }) => {
      await countAttempt(env, `checkout-enter/address/${ip}`, limits.enter.address);
      return enterFunnel(env, String(funnelId), { requestId, ip });
    }),
  );
  router.get(
    '/checkout/return/:sessionId',
    visit(env, async (from) => (await readCheckout(env, from)).url),
  );
  return router;
}

const waitMs = 3_600_000;

function cookieOf(sessionId: string): string {
  return `checkout_${sessionId}`;
}

/** A way a visitor goes with the browser itself: in by the funnel's link, to the bank and back. */
function visit(
  env: Env,
  work: (from: VisitFrom, request: Request, response: Response) => Promise<string | null>,
): RequestHandler<Record<string, string>> {
  return async (request, response) => {
    const exchange = exchangeOf(request);
    exchange.route = '/checkout';
    try {
      const ip = request.ip ?? '';
      await countAttempt(env, `checkout-read/address/${ip}`, limits.read.address);
      const { token, sessionId = '' } = request.params;
      const url = await work(
        { token: token ?? cookieNamed(request, cookieOf(sessionId)), requestId: exchange.requestId, ip },
        request,
        response,
      );
      if (url === null) throw new NotFound('There is no page to go to.');
      response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).redirect(303, url);
    } catch (error) {
      sendError(env, surfaces.public, request, response, error);
    }
  };
}

function cookieNamed({ headers: { cookie = '' } }: Request, name: string): string {
  const found = cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
}

function answer(
  env: Env,
  kind: 'read' | 'act',
  work: (from: VisitFrom, request: Request<{ token: string }>) => Promise<CheckoutView>,
): RequestHandler<{ token: string }> {
  return async (request, response) => {
    const exchange = exchangeOf(request);
    // The pattern, never the path: the secret is a part of it.
    exchange.route = root;
    const headers = corsHeaders(request);
    try {
      assertOwnPage(env.config, request);
      const { token } = request.params;
      const ip = request.ip ?? '';
      await countAttempt(env, `checkout-${kind}/address/${ip}`, limits[kind].address);
      await countAttempt(env, `checkout-${kind}/session/${tokenHashOf(token)}`, limits[kind].session);
      sendJson(request, response, 200, await work({ token, requestId: exchange.requestId, ip }, request), headers);
    } catch (error) {
      sendError(env, surfaces.public, request, response, error, headers);
    }
  };
}
