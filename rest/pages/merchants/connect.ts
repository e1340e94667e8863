import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import {
  answerAuthorization,
  answerToken,
  brandOfAttempt,
  type ConnectOutcome,
  type Consent,
  callbackPath,
  consentCookieOf,
  consentPath,
  finishConnect,
  formTokenOf,
  giveConsent,
  readAuthorization,
  readConsent,
  testAuthorizePath,
  testTokenPath,
} from '../../../src/domains/processors/public.ts';
import { DomainError, invalid, RateLimited } from '../../../src/lib/errors.ts';
import { randomBase62 } from '../../../src/lib/ids.ts';
import { splitAddress } from '../../../src/lib/network.ts';
import { escapeHtml } from '../../../src/lib/text.ts';
import { addressLimit } from '../../../src/limits/windows.ts';
import type { Services } from '../../../src/services.ts';
import type { Words } from '../../../src/theme/words.ts';
import { isForm, readBody, readFields } from '../../engine/body.ts';
import { exchangeOf, nameExchange } from '../../engine/exchange.ts';
import { cookieNamed, wordsFor } from '../../engine/reader.ts';
import { sendJson } from '../../engine/respond.ts';
import { type SitePage, sendSitePage } from '../frame/page.ts';

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(splitAddress(url).query);
}

/** Sends a page for connecting a processor. */
function sendConnectPage(request: Request, response: Response, page: SitePage): void {
  // Browsers apply `form-action` to redirects of a form as well, which ends at the merchant's site after the callback.
  sendSitePage(request, response, { ...page, policy: { formAction: '*' } });
}

const formCookie = 'connect_form';
const livesMs = 600_000;
const bodyBytesMax = 4096;

/**
 * The page on which a merchant sees which partner and account they are about to connect to, before the processor's
 * page. Others send the link, so the page must not be skipped: the callback works only in the browser of the consent.
 */
function consentRoutes(services: Services): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const cookieOptions = {
    path: '/api/public/v1/processors/cardprocessor-connect',
    httpOnly: true,
    // Sent when the processor redirects back, but not with a form of another site.
    sameSite: 'lax',
    secure: services.config.publicUrl.startsWith('https:'),
    maxAge: livesMs,
  } as const;

  const answer =
    (work: (consent: Consent, request: Request, response: Response) => Promise<void> | void): RequestHandler =>
    async (request, response) => {
      const consent = await readConsent(services, queryOf(request.originalUrl));
      const { text, html } = wordsFor(request);
      if (!consent.isOver) return work(consent, request, response);
      sendConnectPage(request, response, {
        status: 410,
        brand: consent.brand,
        title: text('connect.expired'),
        content: `<p>${html('connect.again')}</p>`,
      });
    };

  router.get(
    consentPath,
    answer((consent, request, response) => {
      // A second page in the same browser must not invalidate the form of the first.
      const kept = cookieNamed(request, formCookie);
      const cookie = /^[0-9A-Za-z]{32}$/.test(kept) ? kept : randomBase62(32);
      response.cookie(formCookie, cookie, cookieOptions);
      const token = formTokenOf(services.config, consent.attempt, cookie);
      sendConnectPage(request, response, consentPage(wordsFor(request), consent, token));
    }),
  );
  router.post(
    consentPath,
    answer(async ({ attempt }, request, response) => {
      const token = (await readFields(services, request, bodyBytesMax)).get('token') ?? '';
      const given = { token, cookie: cookieNamed(request, formCookie) };
      const url = await giveConsent(services, attempt, given);
      const { name, value } = consentCookieOf(services.config, attempt);
      response.cookie(name, value, cookieOptions).redirect(303, url);
    }),
  );
  return router;
}

function consentPage({ text, html }: Words, consent: Consent, token: string): SitePage {
  const { attempt, partnerName: partner, accountName: account, brand } = consent;
  return {
    title: text('connect.title'),
    brand,
    content: `<p>${html('connect.asks', { partner, account })}</p>
<p>${html(attempt.mode === 'live' ? 'connect.live' : 'connect.test')}</p>
<p class="soft">${html('connect.onlyIf')}</p>
<form method="post">
<input type="hidden" name="token" value="${token}">
<button>${html('connect.go')}</button>
</form>`,
  };
}

/** Of one address to the page and the token endpoint of test mode. */
const testRequestsPerMinute = 120;

/**
 * The callback to which a card processor's authorization page redirects, and the authorization page and token endpoint
 * that replace a processor in test mode. Written by hand because they answer with redirects and HTML, to a caller
 * without a key. They are mounted before the public surface, because the callback is below its root.
 */
export function connectRoutes(services: Services): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(
    [consentPath, callbackPath, testAuthorizePath, testTokenPath],
    nameExchange,
    (_request, response, next) => {
      // The URLs contain codes and states, which must not be cached or sent as a referrer.
      response.set({
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      });
      next();
    },
  );

  router.get(callbackPath, async (request, response) => {
    const call = { requestId: exchangeOf(request).requestId, ip: request.ip ?? '' };
    const outcome = await finishConnect(services, queryOf(request.originalUrl), call, (name) =>
      cookieNamed(request, name),
    );
    if (outcome.attempt.returnUrl !== null) return void response.redirect(303, returnAddress(outcome));
    const brand = await brandOfAttempt(services, outcome.attempt);
    sendConnectPage(request, response, { ...endPage(wordsFor(request), outcome), isFinal: true, brand });
  });

  router.use(consentRoutes(services));
  // With a client at a real processor, the test page, which requires no credential, is not served.
  if (services.config.connect === null) router.use(testRoutes(services));
  router.use(answerBadLink);
  return router;
}

function testRoutes(services: Services): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const count = addressLimit(services, testRequestsPerMinute);
  router.use([testAuthorizePath, testTokenPath], (request, _response, next) => {
    count(request.ip);
    next();
  });

  router.get(testAuthorizePath, (request, response) => {
    readAuthorization(services.config, queryOf(request.originalUrl));
    sendConnectPage(request, response, authorizationPage(wordsFor(request)));
  });

  router.post(testAuthorizePath, async (request, response) => {
    const fromForm = isForm(request);
    const outcome = fromForm
      ? (await readFields(services, request, bodyBytesMax)).get('outcome')
      : (await readBody(services, request, bodyBytesMax))['outcome'];
    if (outcome !== 'approve' && outcome !== 'deny') throw invalid('outcome', 'must be "approve" or "deny"');
    const authorization = readAuthorization(services.config, queryOf(request.originalUrl));
    const url = await answerAuthorization(services, authorization, outcome);
    if (fromForm) response.redirect(303, url);
    else sendJson(request, response, 200, { url });
  });

  router.post(testTokenPath, async (request, response) => {
    const answer = await answerToken(services, await readFields(services, request, bodyBytesMax));
    response
      .status(answer.status)
      .type('application/json')
      .send(await answer.text());
  });

  return router;
}

/** The page after the end. A reload says that the attempt has ended, and not that it failed. */
function endPage({ text, html }: Pick<Words, 'text' | 'html'>, { failure }: ConnectOutcome): SitePage {
  if (failure === null) return { title: text('connect.done'), content: `<p>${html('connect.close')}</p>` };
  if (failure === 'state_used')
    return {
      title: text('connect.used'),
      content: `<p>${html('connect.usedText')}</p>
<p><small>${failure}</small></p>`,
    };
  return { title: text('connect.failed'), content: `<p>${html('connect.reason', { reason: failure })}</p>` };
}

function authorizationPage({ text, html }: Words): SitePage {
  return {
    title: text('connect.testTitle'),
    content: `<p>${html('connect.testText')}</p>
<p class="soft">${html('connect.testNote')}</p>
<form method="post" class="pair">
<button name="outcome" value="approve">${html('connect.approve')}</button>
<button name="outcome" value="deny" class="plain">${html('connect.deny')}</button>
</form>`,
  };
}

/** A browser gets the page of a link that is not valid. On the page of test mode it says what is wrong. */
const answerBadLink: ErrorRequestHandler = (error: unknown, request, response, next) => {
  const isTest = request.path === testAuthorizePath;
  const isCall = request.path === testTokenPath || (isTest && request.method === 'POST' && !isForm(request));
  if (isCall || error instanceof RateLimited || !(error instanceof DomainError)) return next(error);
  const { text, html } = wordsFor(request);
  const exact = isTest ? `\n<p class="soft" lang="en">${escapeHtml(error.message)}</p>` : '';
  sendConnectPage(request, response, {
    status: error.status,
    title: text('connect.badLink'),
    content: `<p>${html('connect.badLinkText')}</p>${exact}`,
  });
};

/** The return URL was given and checked when the attempt was created. This request cannot change it. */
function returnAddress({ attempt: { returnUrl, isFromOnboarding, processorId }, failure }: ConnectOutcome): string {
  const url = new URL(returnUrl ?? '');
  url.searchParams.set('status', failure === null ? 'success' : 'error');
  url.searchParams.set('processorId', processorId);
  if (failure === null) url.searchParams.delete('reason');
  else url.searchParams.set('reason', failure);
  if (isFromOnboarding) url.searchParams.set('isFromOnboarding', 'true');
  return url.href;
}
