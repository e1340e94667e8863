import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  type Consent,
  consentCookieOf,
  consentPath,
  formTokenOf,
  giveConsent,
  readConsent,
} from '../../src/domains/connect/public.ts';
import { DomainError } from '../../src/kit/errors.ts';
import { escapeHtml } from '../../src/kit/html.ts';
import { randomBase62 } from '../../src/kit/ids.ts';
import type { Services } from '../../src/services.ts';
import { readFields } from '../engine/body.ts';
import { refuse } from '../site/refuse.ts';
import { queryOf, sendPage } from './connect-page.ts';
import { cookieNamed } from './cookies.ts';

const formCookie = 'connect_form';
const livesMs = 600_000;
const bodyBytesMax = 4096;

/**
 * The page on which a merchant sees which partner and account they are about to join, before the processor's page. The
 * link is sent by others, so the page may not be skipped: the callback works in the browser of the consent only.
 */
export function consentRoutes(services: Services): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const cookieOptions = {
    path: '/api/public/v1/processors/cardprocessor-connect',
    httpOnly: true,
    // Sent when the processor redirects back, and not with a form of another site.
    sameSite: 'lax',
    secure: services.config.publicUrl.startsWith('https:'),
    maxAge: livesMs,
  } as const;

  const answer =
    (work: (consent: Consent, request: Request, response: Response) => Promise<void> | void): RequestHandler =>
    async (request, response) => {
      try {
        const consent = await readConsent(services, queryOf(request.originalUrl));
        if (consent.isOver)
          return sendPage(response.status(410), '<h1>This link has expired</h1><p>Please start again.</p>');
        await work(consent, request, response);
      } catch (error) {
        if (!(error instanceof DomainError)) return refuse(services, request, response, error);
        sendPage(response.status(error.status), `<h1>This link does not work</h1><p>${escapeHtml(error.message)}</p>`);
      }
    };

  router.get(
    consentPath,
    answer((consent, request, response) => {
      // A second page in the same browser must not invalidate the form of the first.
      const kept = cookieNamed(request, formCookie);
      const cookie = /^[0-9A-Za-z]{32}$/.test(kept) ? kept : randomBase62(32);
      response.cookie(formCookie, cookie, cookieOptions);
      sendPage(response, consentPage(consent, formTokenOf(services.config, consent.attempt, cookie)));
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

function consentPage({ attempt, partnerName, accountName }: Consent, token: string): string {
  const mode = attempt.mode === 'live' ? 'Real money will move.' : 'This is test mode: no real money moves.';
  return `<h1>Connect your account at the card processor</h1>
<p><strong>${escapeHtml(partnerName)}</strong> asks to take payments with it for the account
<strong>${escapeHtml(accountName)}</strong>. ${mode}</p>
<p><small>Go on only if you know them. Otherwise close this page; nothing was shared.</small></p>
<form method="post">
<input type="hidden" name="token" value="${token}">
<button>Go on to the processor</button>
</form>`;
}
