import { type Request, type RequestHandler, type Response, Router } from 'express';
import { answerChallenge, readChallenge, readReturn } from '../../../src/domains/payments/public.ts';
import { DomainError, invalid } from '../../../src/lib/errors.ts';
import { escapeHtml } from '../../../src/lib/text.ts';
import type { Services } from '../../../src/services.ts';
import type { Words } from '../../../src/theme/words.ts';
import { isForm } from '../../engine/body.ts';
import { wordsFor } from '../../engine/reader.ts';
import { sendJson } from '../../engine/respond.ts';
import { readAnyForm } from '../frame/forms.ts';
import { type SitePage, sendSitePage } from '../frame/page.ts';
import { errorTexts } from '../frame/refuse.ts';

const bodyBytesMax = 4096;

/**
 * The mock 3DS challenge of test mode (docs/contract/11-instruments-and-test-cards.md): a page for a user, and the same
 * as JSON for a script. Written by hand because it answers with HTML, to a caller who has only the link.
 */
export function threeDsRoutes(services: Services): RequestHandler {
  const router = Router();

  router.get('/test/3ds/:sessionId', async (request, response) => {
    const session = await readChallenge(services, request.params.sessionId).catch((error: unknown) => error);
    const words = wordsFor(request);
    if (session instanceof DomainError)
      return void sendPage(request, response, { ...noSuchChallenge(words), status: session.status });
    if (session instanceof Error) throw session;
    // any result that is not an error is the session
    sendPage(request, response, challengePage(words, session as Challenge));
  });

  router.post('/test/3ds/:sessionId', async (request, response) => {
    const fromForm = isForm(request);
    const words = wordsFor(request);
    try {
      const { outcome } = await readAnyForm(services, request, bodyBytesMax, ['outcome']);
      if (outcome !== 'success' && outcome !== 'fail') throw invalid('outcome', 'must be "success" or "fail"');
      const session = await answerChallenge(services, request.params.sessionId, outcome);
      if (!fromForm)
        return void sendJson(request, response, 200, { threedsSessionId: session.id, status: session.status });
      if (session.returnUrl) return void response.redirect(303, withPayment(session.returnUrl, session.paymentId));
      const { brand } = await readChallenge(services, session.id);
      sendPage(request, response, { ...thanks(words), brand });
    } catch (error) {
      if (!fromForm || !(error instanceof DomainError)) throw error;
      const { title, sentence } = errorTexts(words, error.status);
      sendPage(request, response, { status: error.status, title, content: `<p>${escapeHtml(sentence)}</p>` });
    }
  });

  // Parameters of the processor, such as its ids and a secret, are ignored: the merchant reads the API instead.
  router.get('/3ds/return/:transactionId', async (request, response) => {
    const found = await readReturn(services, request.params.transactionId).catch((error: unknown) => error);
    const words = wordsFor(request);
    if (found instanceof DomainError)
      return void sendPage(request, response, { ...noSuchChallenge(words), status: found.status });
    if (found instanceof Error) throw found;
    // any result that is not an error is the return address
    const { returnUrl, paymentId, brand } = found as Awaited<ReturnType<typeof readReturn>>;
    if (returnUrl) return void response.redirect(303, withPayment(returnUrl, paymentId));
    sendPage(request, response, { ...thanks(words), brand });
  });

  return router;
}

function noSuchChallenge({ text, html }: Words): SitePage {
  return { title: text('challenge.none'), content: `<p>${html('challenge.noneText')}</p>` };
}

function thanks({ text, html }: Words): SitePage {
  return { title: text('challenge.thanks'), content: `<p>${html('challenge.close')}</p>` };
}

type Challenge = Awaited<ReturnType<typeof readChallenge>>;

function challengePage(words: Words, challenge: Challenge): SitePage {
  const { text, html, money } = words;
  const { amount, currency, cardLast4 } = challenge.payment;
  return {
    title: text('challenge.title'),
    brand: challenge.brand,
    content: `<p>${html('challenge.about', { amount: money(amount, currency), last4: cardLast4 })}</p>
<p class="soft">${html('challenge.mock')}</p>
${answerOrForm(words, challenge)}`,
  };
}

function answerOrForm({ html }: Words, { status, isOver }: Challenge): string {
  if (status !== 'pending')
    return `<p role="status">${html(status === 'succeeded' ? 'challenge.succeeded' : 'challenge.failed')}</p>`;
  if (isOver) return `<p role="status">${html('challenge.expired')}</p>`;
  return `<form method="post" class="pair">
<button name="outcome" value="success">${html('challenge.complete')}</button>
<button name="outcome" value="fail" class="plain">${html('challenge.fail')}</button>
</form>`;
}

/** The form redirects to the merchant's page, and merchants show the challenge in a frame. */
function sendPage(request: Request, response: Response, page: SitePage): void {
  sendSitePage(request, response, { ...page, policy: { formAction: '*', frameAncestors: '*' } });
}

/** The merchant's page gets only the id of the payment. It reads the outcome of the challenge from the API. */
function withPayment(returnUrl: string, paymentId: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('paymentId', paymentId);
  return url.href;
}
