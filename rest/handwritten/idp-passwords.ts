import { type RequestHandler, Router } from 'express';
import type { EmbeddedIdp } from '../../src/adapters/embedded-idp/embedded-idp.ts';
import { Gone } from '../../src/kit/errors.ts';
import {
  countAttempt,
  endingSessionsOf,
  requestPasswordReset,
  tellOfChange,
} from '../../src/people/identity/public.ts';
import type { Services } from '../../src/services.ts';
import { sendSitePage } from '../site/page.ts';
import { wordsFor } from '../site/words-for.ts';
import { answer, newPasswordOf, readForm, textOf } from './idp-forms.ts';
import { forgotPasswordPage, resetPasswordPage } from './idp-password-pages.ts';

const resetsOfAddressMax = 60;

/** The pages with which a person who has forgotten the password chooses another one. */
export function passwordRoutes(services: Services, idp: EmbeddedIdp): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  router.get('/idp/forgot-password', (request, response) =>
    sendSitePage(request, response, { ...forgotPasswordPage(wordsFor(request)), hasScript: true }),
  );

  router.post(
    '/idp/forgot-password',
    answer(services, async (request) => {
      const email = textOf(await readForm(services, request), 'email', 320).trim();
      await requestPasswordReset(services, idp, { ip: request.ip ?? '', email, words: wordsFor(request) });
      // The same for every address: the answer must not tell who has an account.
      return { requested: true };
    }),
  );

  router.get('/idp/reset-password', async (request, response) => {
    const { token } = request.query;
    await countAttempt(services, `reset-page/address/${request.ip}`, resetsOfAddressMax);
    const isOpen = typeof token === 'string' && (await idp.findPasswordReset(token)) !== null;
    sendSitePage(request, response, {
      ...resetPasswordPage(wordsFor(request), isOpen),
      status: isOpen ? 200 : 410,
      hasScript: true,
    });
  });

  router.post(
    '/idp/reset-password',
    answer(services, async (request) => {
      const body = await readForm(services, request);
      const token = textOf(body, 'token', 200);
      const password = newPasswordOf(body, 'password');
      await countAttempt(services, `reset-page/address/${request.ip}`, resetsOfAddressMax);
      const userId = await idp.findPasswordReset(token);
      const isChanged =
        userId !== null && (await endingSessionsOf(services, userId, () => idp.resetPassword(token, password)));
      if (!isChanged) throw new Gone('This link was used, or its hour is over: ask for a new one.');
      const user = await idp.getUser(userId);
      if (user) await tellOfChange(services, wordsFor(request), { to: user.email, change: 'password' });
      return { redirectUrl: 'sign-in' };
    }),
  );
  return router;
}
