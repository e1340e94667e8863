import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import {
  answerAuthorization,
  answerToken,
  type ConnectFailure,
  type Consent,
  callbackPath,
  checkAnswer,
  finishConnect,
  openAnswer,
  readAuthorization,
  readConsent,
  sealAnswer,
  testAuthorizePath,
  testTokenPath,
} from '../../../src/domains/processors/public.ts';
import { assertOwnOrigin } from '../../../src/iam/public.ts';
import { type Cookie, cookieAt } from '../../../src/lib/cookies.ts';
import { DomainError, invalid, RateLimited } from '../../../src/lib/errors.ts';
import { randomBase62 } from '../../../src/lib/ids.ts';
import { splitAddress } from '../../../src/lib/network.ts';
import { escapeHtml } from '../../../src/lib/text.ts';
import { addressLimit } from '../../../src/limits/windows.ts';
import type { Services } from '../../../src/services.ts';
import type { Words } from '../../../src/theme/words.ts';
import { isForm, readFields } from '../../engine/body.ts';
import { exchangeOf, nameExchange } from '../../engine/exchange.ts';
import { cookieNamed, wordsFor } from '../../engine/reader.ts';
import { sendJson } from '../../engine/respond.ts';
import { readAnyForm, readPlainForm } from '../frame/forms.ts';
import { type SitePage, sendSitePage } from '../frame/page.ts';

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(splitAddress(url).query);
}

/** Sends a page for connecting a processor. */
function sendConnectPage(request: Request, response: Response, page: SitePage): void {
  // Browsers apply `form-action` to redirects of a form as well, which ends at the merchant's site after the callback.
  sendSitePage(request, response, { ...page, policy: { formAction: '*' } });
}

const livesMs = 600_000;
/** A form of consent returns an address of the processor, of at most 16 KiB, encrypted. */
const bodyBytesMax = 32 * 1024;

/**
 * The callback to which a card processor's authorization page redirects. Opening it uses nothing, since previews of
 * links open it too: it asks on a page to whom the account is to be connected. The form of that page ends the attempt.
 */
function callbackRoutes(services: Services): RequestHandler {
  const { config } = services;
  const router = Router({ caseSensitive: true, strict: true });
  const callerOf = (request: Request) => ({ requestId: exchangeOf(request).requestId, ip: request.ip ?? '' });

  const end = (request: Request, response: Response, consent: Consent, failure: ConnectFailure | null): void => {
    const { attempt, brand } = consent;
    if (attempt.returnUrl !== null) return response.redirect(303, returnAddress(attempt, attempt.returnUrl, failure));
    sendConnectPage(request, response, { ...endPage(wordsFor(request), failure), isFinal: true, brand });
  };

  router.get(callbackPath, async (request, response) => {
    const answer = queryOf(request.originalUrl);
    const consent = await readConsent(services, answer);
    const failure = await checkAnswer(services, consent.attempt, answer, callerOf(request));
    if (failure !== null) return end(request, response, consent, failure);
    // A second page in the same browser must not invalidate the form of the first.
    const own = consentCookie(services, consent);
    const kept = cookieNamed(request, own);
    const cookie = /^[0-9A-Za-z]{32}$/.test(kept) ? kept : randomBase62(32);
    response.cookie(own.name, cookie, { ...own.options, maxAge: livesMs });
    const sealed = sealAnswer(config, consent.attempt, cookie, answer);
    sendConnectPage(request, response, consentPage(wordsFor(request), consent, answer.get('state') ?? '', sealed));
  });

  router.post(callbackPath, async (request, response) => {
    assertOwnOrigin(config, request.headers.origin);
    const consent = await readConsent(services, queryOf(request.originalUrl));
    const fields = await readPlainForm(services, request, bodyBytesMax, ['answer', 'outcome']);
    const cookie = cookieNamed(request, consentCookie(services, consent));
    const answer = openAnswer(config, consent.attempt, cookie, fields['answer'] ?? '');
    const decision = { answer, isApproved: outcomeOf(fields['outcome']) === 'approve' };
    end(request, response, consent, await finishConnect(services, consent.attempt, decision, callerOf(request)));
  });
  return router;
}

/**
 * Only for the callback: a page of another site can make a browser collect any number of these cookies, which must not
 * exceed the limit of headers elsewhere. It is sent when the processor redirects back, but not with a form of another
 * site.
 */
function consentCookie({ config }: Services, { attempt }: Consent): Cookie {
  return cookieAt(config.publicUrl, `connect_${attempt.id}`, { path: callbackPath });
}

function outcomeOf(value: unknown): 'approve' | 'deny' {
  if (value !== 'approve' && value !== 'deny') throw invalid('outcome', 'must be "approve" or "deny"');
  return value;
}

function consentPage({ text, html }: Words, consent: Consent, state: string, sealed: string): SitePage {
  const { attempt, partnerName: partner, accountName: account, brand } = consent;
  return {
    title: text('connect.title'),
    brand,
    isFinal: true,
    // Browsers send the Origin header with the form, and no address with a code.
    headers: { 'Referrer-Policy': 'strict-origin' },
    content: `<p>${html('connect.asks', { partner, account })}</p>
<p>${html(attempt.mode === 'live' ? 'connect.live' : 'connect.test')}</p>
<p class="soft">${html('connect.onlyIf')}</p>
<form method="post" action="?state=${state}" class="pair">
<input type="hidden" name="answer" value="${sealed}">
${decisionButtons(html)}
</form>`,
  };
}

function decisionButtons(html: Words['html']): string {
  return `<button name="outcome" value="approve">${html('connect.approve')}</button>
<button name="outcome" value="deny" class="plain">${html('connect.deny')}</button>`;
}

/** Of one address to the page and the token endpoint of test mode. */
const testRequestsPerMinute = 120;

/**
 * The callback, and the authorization page and token endpoint that replace a processor in test mode. Written by hand
 * because they answer with redirects and HTML, to a caller without a key. They are mounted before the public surface,
 * because the callback is below its root.
 */
export function connectRoutes(services: Services): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.use([callbackPath, testAuthorizePath, testTokenPath], nameExchange, (_request, response, next) => {
    // The URLs contain codes and states, which must not be cached or sent as a referrer.
    response.set({
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  });

  router.use(callbackRoutes(services));
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
    const outcome = outcomeOf((await readAnyForm(services, request, bodyBytesMax, ['outcome']))['outcome']);
    const authorization = readAuthorization(services.config, queryOf(request.originalUrl));
    const url = await answerAuthorization(services, authorization, outcome);
    if (fromForm) response.redirect(303, url);
    else sendJson(request, response, 200, { url });
  });

  router.post(testTokenPath, async (request, response) => {
    // RFC 6749 has unknown parameters of a token request ignored.
    const answer = await answerToken(services, await readFields(services, request, bodyBytesMax));
    response
      .status(answer.status)
      .type('application/json')
      .send(await answer.text());
  });

  return router;
}

/** The page after the end. A reload says that the attempt has ended, and not that it failed. */
function endPage({ text, html }: Words, failure: ConnectFailure | null): SitePage {
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
${decisionButtons(html)}
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
function returnAddress(
  { isFromOnboarding, processorId }: Consent['attempt'],
  returnUrl: string,
  failure: ConnectFailure | null,
): string {
  const url = new URL(returnUrl);
  url.searchParams.set('status', failure === null ? 'success' : 'error');
  url.searchParams.set('processorId', processorId);
  if (failure === null) url.searchParams.delete('reason');
  else url.searchParams.set('reason', failure);
  if (isFromOnboarding) url.searchParams.set('isFromOnboarding', 'true');
  return url.href;
}
