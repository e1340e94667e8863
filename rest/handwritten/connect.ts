import express, { type RequestHandler, type Response, Router } from 'express';
import { callbackPath, testAuthorizePath, testTokenPath } from '../../src/connect/authorization-server.ts';
import { type ConnectOutcome, finishConnect } from '../../src/connect/operations.ts';
import { answerAuthorization, answerToken, readAuthorization } from '../../src/connect/test-authorization.ts';
import type { Env } from '../../src/env.ts';
import { DomainError, invalid } from '../../src/kit/errors.ts';
import { readBody } from '../engine/body.ts';
import { exchangeOf, nameExchange } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';

const bodyBytesMax = 4096;
const style = `body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;background:#f4f5f7;color:#1b1f24}
main{background:#fff;border-radius:12px;box-shadow:0 1px 3px #0002;padding:2rem;max-width:24rem}h1{font-size:1.25rem;margin:0 0 .5rem}
form{display:flex;gap:.75rem;margin-top:1.5rem}button{flex:1;font:inherit;padding:.6rem;border-radius:8px;border:1px solid #1a56db;cursor:pointer}
button[value=approve]{background:#1a56db;color:#fff}button[value=deny]{background:#fff;color:#1a56db}small{color:#5a6472}`;

/**
 * Where a browser comes back from a card processor's authorization page, and the page and token endpoint that stand in for one in
 * test mode. No documents can be these: they answer with redirects and HTML, to somebody who has no key. They stand before the
 * public surface, below whose root the callback lies.
 */
export function connectRoutes(env: Env): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const form = express.urlencoded({ extended: false, limit: bodyBytesMax, type: 'application/x-www-form-urlencoded' });
  router.use([callbackPath, testAuthorizePath, testTokenPath], nameExchange, (_request, response, next) => {
    // Addresses here hold codes and states: they are kept by nobody and told to nobody.
    response.set({
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  });

  router.get(callbackPath, async (request, response) => {
    try {
      const outcome = await finishConnect(env, queryOf(request.originalUrl), {
        requestId: exchangeOf(request).requestId,
        ip: request.ip ?? '',
      });
      if (outcome.attempt.returnUrl !== null) return void response.redirect(303, returnAddress(outcome));
      page(
        response,
        outcome.failure === null
          ? '<h1>Connected</h1><p>You can close this page.</p>'
          : `<h1>Not connected</h1><p>Reason: <strong>${outcome.failure}</strong>. Please begin anew.</p>`,
      );
    } catch (error) {
      if (!(error instanceof DomainError)) return void sendError(env, surfaces.public, request, response, error);
      page(
        response.status(error.status),
        '<h1>This link does not work</h1><p>It was not given out here, or it is not complete. Please begin anew.</p>',
      );
    }
  });

  router.get(testAuthorizePath, (request, response) => {
    try {
      readAuthorization(env.config, queryOf(request.originalUrl));
      page(
        response,
        '<h1>Connect a test account</h1><p>A shop asks to take payments with your account at the card processor.</p><p><small>This page stands in for a card processor in test mode: there is no account, and no money moves.</small></p><form method="post"><button name="outcome" value="approve">Approve</button><button name="outcome" value="deny">Deny</button></form>',
      );
    } catch (error) {
      refuse(env, request, response, error);
    }
  });

  router.post(testAuthorizePath, form, async (request, response) => {
    const isForm = request.is('application/x-www-form-urlencoded') !== false;
    try {
      const { outcome } = isForm ? (request.body as Record<string, unknown>) : await readBody(request, bodyBytesMax); // the form parser gives an object of texts
      if (outcome !== 'approve' && outcome !== 'deny') throw invalid('outcome', 'must be "approve" or "deny"');
      const url = await answerAuthorization(env, readAuthorization(env.config, queryOf(request.originalUrl)), outcome);
      if (isForm) response.redirect(303, url);
      else sendJson(request, response, 200, { url });
    } catch (error) {
      if (isForm) refuse(env, request, response, error);
      else sendError(env, surfaces.public, request, response, error);
    }
  });

  router.post(testTokenPath, form, async (request, response) => {
    const answer = await answerToken(
      env,
      new URLSearchParams(
        Object.entries((request.body ?? {}) as Record<string, unknown>).map(([name, value]) => [name, String(value)]),
      ),
    );
    response
      .status(answer.status)
      .type('application/json')
      .send(await answer.text());
  });

  return router;
}

function refuse(env: Env, request: express.Request, response: Response, error: unknown): void {
  if (error instanceof DomainError)
    page(response.status(error.status), `<h1>That did not work</h1><p>${escape(error.message)}</p>`);
  else sendError(env, surfaces.public, request, response, error);
}

/** The address was given with a key, and checked then. Whoever made this request has no say in it. */
function returnAddress({ attempt: { returnUrl, isFromOnboarding, processorId }, failure }: ConnectOutcome): string {
  const url = new URL(returnUrl ?? '');
  url.searchParams.set('status', failure === null ? 'success' : 'error');
  url.searchParams.set('processorId', processorId);
  if (failure === null) url.searchParams.delete('reason');
  else url.searchParams.set('reason', failure);
  if (isFromOnboarding) url.searchParams.set('isFromOnboarding', 'true');
  return url.href;
}

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

function page(response: Response, content: string): void {
  // A form's redirect counts as its target: it leads back to the shop by way of our callback.
  response.set(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action *; frame-ancestors 'none'; base-uri 'none'",
  );
  response
    .type('html')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Connect a processor</title><style>${style}</style><main>${content}</main></html>`,
    );
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
