import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  answerAuthorization,
  answerToken,
  type ConnectOutcome,
  callbackPath,
  consentPath,
  finishConnect,
  readAuthorization,
  testAuthorizePath,
  testTokenPath,
} from '../../src/domains/connect/public.ts';
import { DomainError, invalid, RateLimited } from '../../src/kit/errors.ts';
import { escapeHtml } from '../../src/kit/html.ts';
import type { Services } from '../../src/services.ts';
import { isForm, readBody, readFields } from '../engine/body.ts';
import { exchangeOf, nameExchange } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { refuse } from '../site/refuse.ts';
import { surfaces } from '../surfaces.ts';
import { addressLimit } from './address-limit.ts';
import { consentRoutes } from './connect-consent.ts';
import { queryOf, sendPage } from './connect-page.ts';
import { cookieNamed } from './cookies.ts';

const bodyBytesMax = 4096;
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
      // The URLs contain codes and states: they must not be stored, and not be sent as a referrer.
      response.set({
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      });
      next();
    },
  );

  router.get(callbackPath, async (request, response) => {
    try {
      const call = { requestId: exchangeOf(request).requestId, ip: request.ip ?? '' };
      const outcome = await finishConnect(services, queryOf(request.originalUrl), call, (name) =>
        cookieNamed(request, name),
      );
      if (outcome.attempt.returnUrl !== null) return void response.redirect(303, returnAddress(outcome));
      sendPage(
        response,
        outcome.failure === null
          ? '<h1>Connected</h1><p>You can close this page.</p>'
          : `<h1>Not connected</h1><p>Reason: <strong>${outcome.failure}</strong>. Please start again.</p>`,
      );
    } catch (error) {
      if (!(error instanceof DomainError)) return void refuse(services, request, response, error);
      sendPage(
        response.status(error.status),
        '<h1>This link does not work</h1><p>It was not issued here, is not complete, or was confirmed in another ' +
          'browser. Please start again.</p>',
      );
    }
  });

  router.use(consentRoutes(services));
  // With a client at a real processor nobody is sent to the stand-in, which asks for no credential.
  if (services.config.connect !== null) return router;

  const count = addressLimit(services, testRequestsPerMinute);
  router.use([testAuthorizePath, testTokenPath], (request, response, next) => {
    const waitS = count(request.ip ?? '');
    if (waitS === 0) return next();
    refuse(services, request, response, new RateLimited(waitS));
  });

  router.get(testAuthorizePath, (request, response) => {
    try {
      readAuthorization(services.config, queryOf(request.originalUrl));
      sendPage(response, authorizationPage);
    } catch (error) {
      refuseForm(services, request, response, error);
    }
  });

  router.post(testAuthorizePath, async (request, response) => {
    const fromForm = isForm(request);
    try {
      const outcome = fromForm
        ? (await readFields(services, request, bodyBytesMax)).get('outcome')
        : (await readBody(services, request, bodyBytesMax))['outcome'];
      if (outcome !== 'approve' && outcome !== 'deny') throw invalid('outcome', 'must be "approve" or "deny"');
      const url = await answerAuthorization(
        services,
        readAuthorization(services.config, queryOf(request.originalUrl)),
        outcome,
      );
      if (fromForm) response.redirect(303, url);
      else sendJson(request, response, 200, { url });
    } catch (error) {
      if (fromForm) refuseForm(services, request, response, error);
      else sendError(services, surfaces.public, request, response, error);
    }
  });

  router.post(testTokenPath, async (request, response) => {
    try {
      const answer = await answerToken(services, await readFields(services, request, bodyBytesMax));
      response
        .status(answer.status)
        .type('application/json')
        .send(await answer.text());
    } catch (error) {
      sendError(services, surfaces.public, request, response, error);
    }
  });

  return router;
}

const authorizationPage = `<h1>Connect a test account</h1>
<p>A shop asks to take payments with your account at the card processor.</p>
<p><small>This page replaces a card processor in test mode: there is no account, and no money moves.</small></p>
<form method="post">
<button name="outcome" value="approve">Approve</button>
<button name="outcome" value="deny" class="secondary">Deny</button>
</form>`;

function refuseForm(services: Services, request: Request, response: Response, error: unknown): void {
  if (error instanceof DomainError)
    sendPage(response.status(error.status), `<h1>That did not work</h1><p>${escapeHtml(error.message)}</p>`);
  else refuse(services, request, response, error);
}

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
