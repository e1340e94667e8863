import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { EmbeddedIdp } from '../../../src/adapters/embedded-idp/embedded-idp.ts';
import { assertFreshSecondFactor } from '../../../src/auth/second-factor.ts';
import {
  boundedGuess,
  endingSessionsOf,
  endSession,
  needsSecondFactor,
  readUser,
  requestPasswordReset,
  sendChangeMail,
} from '../../../src/iam/public.ts';
import { Conflict, Gone, invalid, NotAuthorized } from '../../../src/lib/errors.ts';
import { countAddress } from '../../../src/limits/windows.ts';
import { type IdpSession, type IdpUser, passwordLengthMax } from '../../../src/ports/identity-provider.ts';
import type { Services } from '../../../src/services.ts';
import { wordsFor } from '../../engine/reader.ts';
import { answer, clientOf, codeOf, deviceOf, newPasswordOf, readForm, textOf } from '../frame/forms.ts';
import { sendSitePage } from '../frame/page.ts';
import { accountPage } from './account-pages.ts';
import { codePage, forgotPasswordPage, ownPath, resetPasswordPage } from './sign-in-pages.ts';

interface OwnRequest {
  request: Request;
  response: Response;
  body: Readonly<Record<string, unknown>>;
  session: IdpSession;
  user: IdpUser;
}

/** The account page of a signed-in user: password, second factor, sessions. */
export function accountRoutes(services: Services, idp: EmbeddedIdp): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  /** A form of the account page, with its fields. */
  function form(path: string, fields: readonly string[], work: (own: OwnRequest) => Promise<unknown>): void {
    router.post(
      path,
      answer(async (request, response) => {
        const body = await readForm(services, request, fields);
        const own = await signedIn(idp, request);
        if (!own) throw new NotAuthorized('Not signed in. Sign in first.');
        return work({ request, response, body, ...own });
      }),
    );
  }

  /**
   * Runs a change that requires the password or a code again. Attempts are limited, so that they cannot be guessed with
   * a session.
   */
  async function confirmed<Result>({ request, user }: OwnRequest, name: string, change: () => Promise<Result | null>) {
    const device = deviceOf(services, request, user.email);
    const guess = { ip: request.ip ?? '', account: `session/${user.id}`, device };
    const result = await boundedGuess(services, guess, () => endingSessionsOf(services, user.id, change));
    if (result === null) throw invalid(name, 'is wrong');
    return result;
  }

  const passwordIn = ({ body }: OwnRequest): string => textOf(body, 'password', passwordLengthMax);

  router.get('/idp/account', async (request, response) => {
    const own = await signedIn(idp, request);
    if (!own) return response.redirect(303, `sign-in?redirect=${encodeURIComponent('/idp/account')}`);
    const { session, user } = own;
    const mirrored = await readUser(services, user.id);
    const mustEnroll = session.hasSecondFactor !== true && mirrored !== null && needsSecondFactor(services, mirrored);
    const sessions = await idp.listSessions(user.id);
    const page = accountPage(wordsFor(request), { user, session, sessions, mustEnroll });
    sendSitePage(request, response, { ...page, hasScript: true });
  });

  form('/idp/account/password', ['password', 'newPassword'], async (own) => {
    const next = newPasswordOf(own.body, 'newPassword');
    const client = clientOf(own.request);
    const { setCookies } = await confirmed(own, 'password', () => idp.changePassword(passwordIn(own), next, client));
    own.response.setHeader('Set-Cookie', setCookies);
    await sendChangeMail(services, wordsFor(own.request), { to: own.user.email, change: 'password' });
    return { redirectUrl: 'account' };
  });

  form('/idp/account/second-factor', ['password'], async (own) => {
    const made = await confirmed(own, 'password', () => idp.enableSecondFactor(passwordIn(own), clientOf(own.request)));
    if (made === 'is_enabled')
      throw new Conflict('already_exists', 'already_exists: two-factor authentication is on. Turn it off first.');
    return { ...made, setupKey: new URL(made.uri).searchParams.get('secret') };
  });

  form('/idp/account/second-factor/confirm', ['code'], async (own) => {
    const code = codeOf(own.body);
    const { setCookies } = await confirmed(own, 'code', () => idp.confirmSecondFactor(code, clientOf(own.request)));
    own.response.setHeader('Set-Cookie', setCookies);
    await sendChangeMail(services, wordsFor(own.request), { to: own.user.email, change: 'secondFactorOn' });
    return { redirectUrl: 'account' };
  });

  /** Otherwise the password of a session that was left open would be enough to make another factor. */
  const assertFactor = ({ session }: OwnRequest): void => {
    if (session.hasSecondFactor) assertFreshSecondFactor(services, session);
  };

  form('/idp/account/second-factor/remove', ['password'], async (own) => {
    assertFactor(own);
    const client = clientOf(own.request);
    const { setCookies } = await confirmed(own, 'password', () => idp.disableSecondFactor(passwordIn(own), client));
    own.response.setHeader('Set-Cookie', setCookies);
    await sendChangeMail(services, wordsFor(own.request), { to: own.user.email, change: 'secondFactorOff' });
    return { redirectUrl: 'account' };
  });

  form('/idp/account/backup-codes', ['password'], async (own) => {
    assertFactor(own);
    return {
      backupCodes: await confirmed(own, 'password', () => idp.renewBackupCodes(passwordIn(own), clientOf(own.request))),
    };
  });

  router.get('/idp/second-factor', async (request, response) => {
    const then = ownPath(request.query['redirect'], services.config);
    const own = await signedIn(idp, request);
    const here = `/idp/second-factor?redirect=${encodeURIComponent(then)}`;
    if (!own) return response.redirect(303, `sign-in?redirect=${encodeURIComponent(here)}`);
    if (!own.session.hasSecondFactor) return response.redirect(303, 'account');
    sendSitePage(request, response, { ...codePage(wordsFor(request), then, false), hasScript: true });
  });

  form('/idp/second-factor', ['code'], async ({ request, body, user }) => {
    const code = codeOf(body);
    // The codes of the second step of a sign-in count with these.
    const device = deviceOf(services, request, user.email);
    const guess = { ip: request.ip ?? '', account: `code/${user.id}`, device };
    const verified = await boundedGuess(
      services,
      guess,
      async () => (await idp.verifySecondFactor(code, clientOf(request))) || null,
    );
    if (!verified) throw new NotAuthorized('The code is wrong or was used already.');
    return { verified };
  });

  form('/idp/account/sessions/end', ['sessionId'], async ({ body, session, user }) => {
    const named = body['sessionId'] === undefined ? null : textOf(body, 'sessionId', 100);
    const sessions = await idp.listSessions(user.id);
    const ending = sessions.filter(({ id }) => (named === null ? id !== session.sessionId : id === named));
    for (const { id: sessionId } of ending) {
      await endSession(services.prisma, { sessionId, userId: user.id }, services.clock.now());
      await idp.revokeSession(user.id, sessionId);
    }
    return { endedCount: ending.length, redirectUrl: 'account' };
  });
  return router;
}

async function signedIn(idp: EmbeddedIdp, request: Request): Promise<{ session: IdpSession; user: IdpUser } | null> {
  const verified = await idp.verifySession({ cookie: request.headers.cookie ?? '' });
  const user = verified.ok ? await idp.getUser(verified.session.userId) : null;
  return verified.ok && user && !user.banned ? { session: verified.session, user } : null;
}

const resetsOfAddressMax = 60;

/** The pages on which a user who has forgotten the password chooses a new one. */
export function passwordRoutes(services: Services, idp: EmbeddedIdp): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  router.get('/idp/forgot-password', (request, response) =>
    sendSitePage(request, response, { ...forgotPasswordPage(wordsFor(request)), hasScript: true }),
  );

  router.post(
    '/idp/forgot-password',
    answer(async (request) => {
      const email = textOf(await readForm(services, request, ['email']), 'email', 320).trim();
      await requestPasswordReset(services, idp, { ip: request.ip ?? '', email, words: wordsFor(request) });
      // The same for every address: the answer must not disclose which addresses have an account.
      return { requested: true };
    }),
  );

  router.get('/idp/reset-password', async (request, response) => {
    const { token } = request.query;
    await countAddress(services, 'reset-page', request.ip, resetsOfAddressMax);
    const isOpen = typeof token === 'string' && (await idp.findPasswordReset(token)) !== null;
    sendSitePage(request, response, {
      ...resetPasswordPage(wordsFor(request), isOpen),
      status: isOpen ? 200 : 410,
      hasScript: true,
    });
  });

  router.post(
    '/idp/reset-password',
    answer(async (request) => {
      await countAddress(services, 'reset-page', request.ip, resetsOfAddressMax);
      const body = await readForm(services, request, ['token', 'password']);
      const token = textOf(body, 'token', 200);
      const password = newPasswordOf(body, 'password');
      const userId = await idp.findPasswordReset(token);
      const isChanged =
        userId !== null && (await endingSessionsOf(services, userId, () => idp.resetPassword(token, password)));
      if (!isChanged) throw new Gone('The link was used or has expired. Request a new link.');
      const user = await idp.getUser(userId);
      if (user) await sendChangeMail(services, wordsFor(request), { to: user.email, change: 'password' });
      return { redirectUrl: 'sign-in' };
    }),
  );
  return router;
}
