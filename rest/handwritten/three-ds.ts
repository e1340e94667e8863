import express, { type RequestHandler, Router } from 'express';
import { answerChallenge, readChallenge, readReturn } from '../../src/domains/payments/public.ts';
import { DomainError, invalid } from '../../src/kit/errors.ts';
import { escapeHtml } from '../../src/kit/html.ts';
import type { Services } from '../../src/services.ts';
import { isForm, readBody, readFields } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendJson } from '../engine/respond.ts';
import { refuse } from '../site/refuse.ts';
import { cardPageStyle } from './card-page.ts';

const bodyBytesMax = 4096;

/**
 * The mock 3DS challenge of test mode (docs/contract/11-instruments-and-test-cards.md): a page for a person, and the
 * same as JSON for a script. Written by hand because it answers with HTML, to a caller who has only the link.
 */
export function threeDsRoutes(services: Services): RequestHandler {
  const router = Router();

  router.get('/test/3ds/:sessionId', async (request, response) => {
    exchangeOf(request).route = '/test/3ds/:sessionId';
    const session = await readChallenge(services, request.params.sessionId).catch((error: unknown) => error);
    if (session instanceof DomainError) return void sendPage(response.status(session.status), noSuchChallenge);
    if (session instanceof Error) throw session;
    // what is not an error is the session
    sendPage(response, challengePage(session as Awaited<ReturnType<typeof readChallenge>>));
  });

  router.post('/test/3ds/:sessionId', async (request, response) => {
    exchangeOf(request).route = '/test/3ds/:sessionId';
    const fromForm = isForm(request);
    try {
      const outcome = fromForm
        ? (await readFields(services, request, bodyBytesMax)).get('outcome')
        : (await readBody(services, request, bodyBytesMax))['outcome'];
      if (outcome !== 'success' && outcome !== 'fail') throw invalid('outcome', 'must be "success" or "fail"');
      const session = await answerChallenge(services, request.params.sessionId, outcome);
      if (!fromForm)
        return void sendJson(request, response, 200, { threedsSessionId: session.id, status: session.status });
      if (session.returnUrl) return void response.redirect(303, withPayment(session.returnUrl, session.paymentId));
      sendPage(
        response,
        `<h1>Thank you</h1>
<p>The challenge was answered: <strong>${session.status}</strong>. You can close this page.</p>`,
      );
    } catch (error) {
      if (!fromForm || !(error instanceof DomainError)) return void refuse(services, request, response, error);
      sendPage(response.status(error.status), `<h1>That did not work</h1><p>${escapeHtml(error.message)}</p>`);
    }
  });

  // Parameters that the processor adds, such as its ids and a secret, are ignored: the merchant reads the API instead.
  router.get('/3ds/return/:transactionId', async (request, response) => {
    exchangeOf(request).route = '/3ds/return/:transactionId';
    const found = await readReturn(services, request.params.transactionId).catch((error: unknown) => error);
    if (found instanceof DomainError) return void sendPage(response.status(found.status), noSuchChallenge);
    if (found instanceof Error) throw found;
    // what is not an error is the return address
    const { returnUrl, paymentId } = found as Awaited<ReturnType<typeof readReturn>>;
    if (returnUrl) return void response.redirect(303, withPayment(returnUrl, paymentId));
    sendPage(response, '<h1>Thank you</h1><p>You can close this page.</p>');
  });

  return router;
}

const noSuchChallenge = '<h1>No such challenge</h1><p>The link is not complete, or it is not of this platform.</p>';

function challengePage({ payment, status, isOver }: Awaited<ReturnType<typeof readChallenge>>): string {
  const { amount, currency, cardLast4 } = payment;
  const money = new Intl.NumberFormat('en', { style: 'currency', currency }).format(
    Number(amount) / 10 ** fractionDigits(currency),
  );
  const about = `<h1>Confirm the payment</h1>
<p>${escapeHtml(money)} with the card ending in ${escapeHtml(cardLast4)}.</p>
<p><small>This is a mock challenge: no bank is asked and no money moves.</small></p>`;
  if (status !== 'pending') return `${about}<p>The challenge was answered: <strong>${status}</strong>.</p>`;
  if (isOver) return `${about}<p>The challenge has expired.</p>`;
  return `${about}
<form method="post">
<button name="outcome" value="success">Complete</button>
<button name="outcome" value="fail" class="secondary">Fail</button>
</form>`;
}

function fractionDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function sendPage(response: express.Response, content: string): void {
  response
    .set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action *; frame-ancestors *; base-uri 'none'",
    )
    .removeHeader('X-Frame-Options');
  response.type('html').send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mock 3DS challenge</title>
<style>${cardPageStyle}</style>
<main>${content}</main>
</html>
`);
}

/** The merchant's page gets the id of the payment only. It reads the outcome of the challenge from the API. */
function withPayment(returnUrl: string, paymentId: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('paymentId', paymentId);
  return url.href;
}
