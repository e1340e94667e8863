import { type RequestHandler, type Response, Router } from 'express';
import type { EmbeddedIdp } from '../../../src/adapters/embedded-idp/embedded-idp.ts';
import type { SignedIn } from '../../../src/adapters/embedded-idp/sessions.ts';
import {
  acceptInvitation,
  assertOwnOrigin,
  boundedGuess,
  deviceCookie,
  deviceKeptMs,
  endSession,
  needsSecondFactor,
  newDevice,
  readInvitationView,
  readUser,
} from '../../../src/iam/public.ts';
import { NotAuthorized } from '../../../src/lib/errors.ts';
import { countAddress } from '../../../src/limits/windows.ts';
import { passwordLengthMax } from '../../../src/ports/identity-provider.ts';
import type { SavedMail } from '../../../src/ports/mailer.ts';
import type { Services } from '../../../src/services.ts';
import type { Brand } from '../../../src/theme/brand.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import { wordsFor } from '../../engine/reader.ts';
import { answer, clientOf, codeOf, deviceOf, passwordOf, readForm, textOf } from '../frame/forms.ts';
import { sendSitePage } from '../frame/page.ts';
import { visitorOf } from '../frame/visitor.ts';
import { acceptPage, closedInvitationPage } from './accept-pages.ts';
import { codePage, mailPage, ownPath, signedInPage, signInPage } from './sign-in-pages.ts';

export const acceptancesOfAddressMax = 200;

/**
 * The pages and API of the embedded identity provider: sign-in, tokens, and accepting an invitation. Written by hand
 * because the caller is not authenticated yet and the answers set cookies.
 */
export function idpRoutes(services: Services, idp: EmbeddedIdp): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  router.post(
    '/idp/sign-in/email',
    answer(async (request, response) => {
      const body = await readForm(services, request, ['email', 'password', 'redirect']);
      const email = textOf(body, 'email', 320);
      const password = textOf(body, 'password', passwordLengthMax);
      const client = clientOf(request);
      const guess = { ip: client.ip, account: email, device: deviceOf(services, request, email) };
      const signedIn = await boundedGuess(services, guess, () => idp.signIn(email, password, client));
      if (!signedIn) throw new NotAuthorized('Email or password is wrong.');
      if (!('needsCode' in signedIn)) return welcome(services, response, signedIn);
      response.setHeader('Set-Cookie', signedIn.setCookies);
      const then = ownPath(body['redirect'], services.config);
      return { needsCode: true, redirectUrl: `sign-in-code?redirect=${encodeURIComponent(then)}` };
    }),
  );

  router.post(
    '/idp/sign-in/code',
    answer(async (request, response) => {
      const code = codeOf(await readForm(services, request, ['code']));
      const client = clientOf(request);
      const challenged = await idp.findChallenged(client.cookie);
      const email = challenged === null ? '' : ((await idp.getUser(challenged))?.email ?? '');
      const device = deviceOf(services, request, email);
      const guess = { ip: client.ip, account: `code/${challenged ?? ''}`, device };
      const signedIn =
        challenged === null ? null : await boundedGuess(services, guess, () => idp.signInWithCode(code, client));
      if (!signedIn) throw new NotAuthorized('Invalid or expired code. Sign in again.');
      return welcome(services, response, signedIn);
    }),
  );

  router.post(
    '/idp/sign-out',
    answer(async (request, response) => {
      await readForm(services, request, []);
      const cookie = request.headers.cookie ?? '';
      const verified = await idp.verifySession({ cookie });
      const { setCookies } = await idp.signOut(cookie);
      // The provider's message also ends the session, but another process may receive it later. Tokens must be rejected
      // as soon as this request is answered.
      if (verified.ok) await endSession(services.prisma, verified.session, services.clock.now());
      response.setHeader('Set-Cookie', setCookies);
      return { signedOut: true };
    }),
  );

  router.get(
    '/idp/token',
    answer(async (request) => {
      assertOwnOrigin(services.config, request.headers.origin);
      const token = await idp.tokenOf(request.headers.cookie ?? '');
      if (token === null) throw new NotAuthorized('Not signed in. Sign in first.');
      return { token };
    }),
  );

  router.get(
    '/idp/jwks',
    answer(() => idp.jwks()),
  );

  router.post(
    '/idp/accept',
    answer(async (request, response) => {
      await countAddress(services, 'accept', request.ip, acceptancesOfAddressMax);
      const body = await readForm(services, request, ['ticket', 'password']);
      const ticket = textOf(body, 'ticket', 200);
      const password = passwordOf(body);
      const session = await idp.verifySession({ cookie: request.headers.cookie ?? '' });
      const { user, redirectUrl, isNew } = await acceptInvitation(
        { services, requestId: exchangeOf(request).requestId, ip: request.ip ?? null },
        idp,
        { ticket, password, signedInAs: session.ok ? session.session.userId : null },
      );
      const signedIn = isNew && password !== null ? await idp.signIn(user.email, password, clientOf(request)) : null;
      if (signedIn) setCookies(services, response, { email: user.email, setCookies: signedIn.setCookies });
      const mustEnroll = signedIn !== null && needsSecondFactor(services, user);
      return {
        user: {
          id: user.id,
          email: user.email,
          platformRoles: user.platformRoles,
          whitelabelOwnership: user.whitelabelOwnership,
        },
        redirectUrl: mustEnroll ? `${services.config.publicUrl}/idp/account` : redirectUrl,
      };
    }),
  );

  /** The partner whose invitation the user signs in to accept. Null for other pages. */
  const invitingBrand = async (then: string): Promise<Brand | null> => {
    const { pathname, searchParams } = new URL(then, services.config.publicUrl);
    const ticket = pathname.endsWith('/idp/accept') ? searchParams.get('ticket') : null;
    const invitation = ticket === null ? null : await idp.findOpenInvitation(ticket);
    return invitation && (await readInvitationView(services, invitation)).brand;
  };
  router.get('/idp/sign-in', async (request, response) => {
    const then = ownPath(request.query['redirect'], services.config);
    const visitor = await visitorOf(services, request);
    if (visitor === 'mustEnroll') return response.redirect(303, 'account');
    const words = wordsFor(request);
    const page = visitor.kind === 'session' ? signedInPage(words, visitor.email, then) : signInPage(words, then);
    sendSitePage(request, response, { ...page, brand: await invitingBrand(then), hasScript: true });
  });
  router.get('/idp/sign-in-code', (request, response) =>
    sendSitePage(request, response, {
      ...codePage(wordsFor(request), ownPath(request.query['redirect'], services.config)),
      hasScript: true,
    }),
  );
  router.get('/idp/accept', async (request, response) => {
    const ticket = request.query['ticket'];
    const invitation = typeof ticket === 'string' ? await idp.findOpenInvitation(ticket) : null;
    const words = wordsFor(request);
    if (!invitation) return sendSitePage(request, response, { ...closedInvitationPage(words), status: 410 });
    const [view, visitor] = await Promise.all([
      readInvitationView(services, invitation),
      idp.verifySession({ cookie: request.headers.cookie ?? '' }),
    ]);
    const signedInAs = visitor.ok ? ((await idp.getUser(visitor.session.userId))?.email ?? null) : null;
    const page = acceptPage(words, { ...view, ...invitation }, signedInAs);
    sendSitePage(request, response, { ...page, hasScript: true });
  });
  return router;
}

/** Sets the cookie of a new session. A user who must set up a second factor is redirected to the page for it. */
async function welcome(services: Services, response: Response, signedIn: SignedIn): Promise<Record<string, unknown>> {
  const { userId, email } = signedIn;
  setCookies(services, response, signedIn);
  const session = await services.identityProvider.verifySession({
    cookie: signedIn.setCookies.map(cookieOf).join('; '),
  });
  const user = await readUser(services, userId);
  const hasSecondFactor = session.ok && session.session.hasSecondFactor === true;
  const mustEnroll = !hasSecondFactor && user !== null && needsSecondFactor(services, user);
  return { user: { id: userId, email }, ...(mustEnroll && { redirectUrl: 'account' }) };
}

/** Those of a new session, and of a browser in which the user has signed in. */
function setCookies(services: Services, response: Response, signedIn: Pick<SignedIn, 'email' | 'setCookies'>): void {
  response.setHeader('Set-Cookie', signedIn.setCookies);
  const { name, options } = deviceCookie(services);
  response.cookie(name, newDevice(services, signedIn.email), { ...options, maxAge: deviceKeptMs });
}

function cookieOf(setCookie: string): string {
  return setCookie.split(';')[0] ?? '';
}

/** A route for every identity provider: the mail that is stored instead of sent. */
export function peoplePages(services: Services, readSavedMails: (dir: string) => Promise<SavedMail[]>): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  const { mail } = services.config;
  if (mail.kind === 'kept' && services.config.isLocal) {
    router.get('/idp/mail', async (request, response) =>
      sendSitePage(request, response, mailPage(await readSavedMails(mail.dir))),
    );
  }
  return router;
}
