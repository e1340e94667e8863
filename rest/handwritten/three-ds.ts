import express, { type RequestHandler, Router } from 'express';
import type { Env } from '../../src/env.ts';
import { DomainError, invalid } from '../../src/kit/errors.ts';
import { answerChallenge, readChallenge, readReturn } from '../../src/payments/answer-challenge.ts';
import { readBody } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';

const bodyBytesMax = 4096;
const style = `body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;background:#f4f5f7;color:#1b1f24}
main{background:#fff;border-radius:12px;box-shadow:0 1px 3px #0002;padding:2rem;max-width:24rem}h1{font-size:1.25rem;margin:0 0 .5rem}
form{display:flex;gap:.75rem;margin-top:1.5rem}button{flex:1;font:inherit;padding:.6rem;border-radius:8px;border:1px solid #1a56db;cursor:pointer}
button[value=success]{background:#1a56db;color:#fff}button[value=fail]{background:#fff;color:#1a56db}small{color:#5a6472}`;

/**
 * The mock 3DS challenge of test mode (contract 11): a page for a person, and the same by JSON for a script. No document can be
 * it: it answers with HTML, to somebody who has no key but the link.
 */
export function threeDsRoutes(env: Env): RequestHandler {
  const router = Router();

  router.get('/test/3ds/:sessionId', async (request, response) => {
    exchangeOf(request).route = '/test/3ds/:sessionId';
    const session = await readChallenge(env, request.params.sessionId).catch((error: unknown) => error);
    if (session instanceof DomainError)
      return void page(
        response.status(session.status),
        '<h1>No such challenge</h1><p>The link is not complete, or it is not of this platform.</p>',
      );
    if (session instanceof Error) throw session;
    const { payment, status, hasExpired } = session as Awaited<ReturnType<typeof readChallenge>>; // whatever is no error is the session
    const money = new Intl.NumberFormat('en', { style: 'currency', currency: payment.currency }).format(
      Number(payment.amount) / 10 ** fractionDigits(payment.currency),
    );
    const about = `<h1>Confirm the payment</h1><p>${escape(money)} with the card ending in ${escape(payment.cardLast4)}.</p><p><small>This is a mock challenge: no bank is asked and no money moves.</small></p>`;
    if (status !== 'pending')
      return void page(response, `${about}<p>The challenge was answered: <strong>${status}</strong>.</p>`);
    if (hasExpired) return void page(response, `${about}<p>The challenge has expired.</p>`);
    page(
      response,
      `${about}<form method="post"><button name="outcome" value="success">Complete</button><button name="outcome" value="fail">Fail</button></form>`,
    );
  });

  router.post(
    '/test/3ds/:sessionId',
    express.urlencoded({ extended: false, limit: bodyBytesMax, type: 'application/x-www-form-urlencoded' }),
    async (request, response) => {
      exchangeOf(request).route = '/test/3ds/:sessionId';
      const isForm = request.is('application/x-www-form-urlencoded') !== false;
      try {
        const { outcome } = isForm ? (request.body as Record<string, unknown>) : await readBody(request, bodyBytesMax); // the form parser gives an object of texts
        if (outcome !== 'success' && outcome !== 'fail') throw invalid('outcome', 'must be "success" or "fail"');
        const session = await answerChallenge(env, request.params.sessionId, outcome);
        if (!isForm)
          return void sendJson(request, response, 200, { threedsSessionId: session.id, status: session.status });
        if (session.returnUrl) return void response.redirect(303, withPayment(session.returnUrl, session.paymentId));
        page(
          response,
          `<h1>Thank you</h1><p>The challenge was answered: <strong>${session.status}</strong>. You can close this page.</p>`,
        );
      } catch (error) {
        if (!isForm || !(error instanceof DomainError))
          return void sendError(env, surfaces.public, request, response, error);
        page(response.status(error.status), `<h1>That did not work</h1><p>${escape(error.message)}</p>`);
      }
    },
  );

  // What the processor adds to the address (its own ids, a secret among them) is for nobody: the merchant asks the API.
  router.get('/3ds/return/:transactionId', async (request, response) => {
    exchangeOf(request).route = '/3ds/return/:transactionId';
    const back = await readReturn(env, request.params.transactionId).catch((error: unknown) => error);
    if (back instanceof DomainError)
      return void page(
        response.status(back.status),
        '<h1>No such challenge</h1><p>The link is not complete, or it is not of this platform.</p>',
      );
    if (back instanceof Error) throw back;
    const { returnUrl, paymentId } = back as Awaited<ReturnType<typeof readReturn>>; // whatever is no error is the way back
    if (returnUrl) return void response.redirect(303, withPayment(returnUrl, paymentId));
    page(response, '<h1>Thank you</h1><p>You can close this page.</p>');
  });

  return router;
}

function page(response: express.Response, content: string): void {
  response
    .set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action *; frame-ancestors *; base-uri 'none'",
    )
    .removeHeader('X-Frame-Options');
  response
    .type('html')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mock 3DS challenge</title><style>${style}</style><main>${content}</main></html>`,
    );
}

/** The merchant's own page hears which payment to go on with; how the challenge went it learns from the API alone. */
function withPayment(returnUrl: string, paymentId: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('paymentId', paymentId);
  return url.href;
}

function fractionDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
