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
import { randomBase62 } from '../../src/kit/ids.ts';
import type { Words } from '../../src/look/words.ts';
import type { Services } from '../../src/services.ts';
import { readFields } from '../engine/body.ts';
import type { SitePage } from '../site/page.ts';
import { refuse } from '../site/refuse.ts';
import { wordsFor } from '../site/words-for.ts';
import { queryOf, sendConnectPage } from './connect-page.ts';
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
      const { text, html } = wordsFor(request);
      try {
        const consent = await readConsent(services, queryOf(request.originalUrl));
        if (consent.isOver)
          return sendConnectPage(request, response, {
            status: 410,
            brand: consent.brand,
            title: text('connect.expired'),
            content: `<p>${html('connect.again')}</p>`,
          });
        await work(consent, request, response);
      } catch (error) {
        if (!(error instanceof DomainError)) return refuse(services, request, response, error);
        sendConnectPage(request, response, {
          status: error.status,
          title: text('connect.badLink'),
          content: `<p>${html('connect.badLinkText')}</p>`,
        });
      }
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
