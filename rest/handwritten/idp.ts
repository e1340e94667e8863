import { type Request, type RequestHandler, type Response, Router } from 'express';
import { assertOwnOrigin } from '../../src/identity/authenticate-session.ts';
import type { Env } from '../../src/env.ts';
import { acceptInvitation } from '../../src/identity/accept.ts';
import { countAttempt } from '../../src/identity/attempts.ts';
import { endSession } from '../../src/identity/mirror.ts';
import type { EmbeddedIdp } from '../../src/idp/embedded-idp.ts';
import { passwordLengthMax, passwordLengthMin } from '../../src/idp/engine.ts';
import { invalid, InvalidInput, NotAuthorized } from '../../src/kit/errors.ts';
import { readKeptMails } from '../../src/mail/file-mailer.ts';
import { readBody } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';
import { acceptPage, mailPage, pageScript, sendPage, signInPage } from './idp-pages.ts';

const bodyBytesMax = 16 * 1024;
const signInsOfEmailMax = 20;
const signInsOfAddressMax = 200;
export const acceptancesOfAddressMax = 200;

/**
 * The embedded identity provider's own face: sign-in, tokens, and accepting an invitation. No document can be it, since whoever
 * comes here is nobody yet, and cookies are what it answers with.
 */
export function idpRoutes(env: Env, idp: EmbeddedIdp): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  router.post(
    '/idp/sign-in/email',
    answer(env, async (request, response) => {
      const body = await readForm(env, request);
      const email = textOf(body, 'email', 320);
      const password = textOf(body, 'password', passwordLengthMax);
      await countAttempt(env, `sign-in/address/${request.ip}`, signInsOfAddressMax);
      await countAttempt(env, `sign-in/email/${email.toLowerCase()}`, signInsOfEmailMax);
      const signedIn = await idp.signIn(email, password, request.headers['user-agent'] ?? '');
      if (!signedIn) throw new NotAuthorized('E-mail or password is wrong.');
      response.setHeader('Set-Cookie', signedIn.setCookies);
      return { user: { id: signedIn.userId, email: signedIn.email } };
    }),
  );

  router.post(
    '/idp/sign-out',
    answer(env, async (request, response) => {
      await readForm(env, request);
      const cookie = request.headers.cookie ?? '';
      const verified = await idp.verifySession({ cookie });
      const { setCookies } = await idp.signOut(cookie);
      // The provider's message says the same, and may be with another process: when this is answered, tokens are refused already.
      if (verified.ok) await endSession(env.prisma, verified.session, env.clock.now());
      response.setHeader('Set-Cookie', setCookies);
      return { signedOut: true };
    }),
  );

  router.get(
    '/idp/token',
    answer(env, async (request) => {
      assertOwnOrigin(env.config, request.headers.origin);
      const token = await idp.tokenOf(request.headers.cookie ?? '');
      if (token === null) throw new NotAuthorized('There is no session: sign in first.');
      return { token };
    }),
  );

  router.get(
    '/idp/jwks',
    answer(env, () => idp.jwks()),
  );

  router.post(
    '/idp/accept',
    answer(env, async (request, response) => {
      const body = await readForm(env, request);
      const ticket = textOf(body, 'ticket', 200);
      const password = passwordOf(body);
      await countAttempt(env, `accept/address/${request.ip}`, acceptancesOfAddressMax);
      const session = await idp.verifySession({ cookie: request.headers.cookie ?? '' });
      const { user, redirectUrl, isNew } = await acceptInvitation(
        { env, requestId: exchangeOf(request).requestId, ip: request.ip ?? null },
        idp,
        { ticket, password, signedInAs: session.ok ? session.session.userId : null },
      );
      const signedIn =
        isNew && password !== null ? await idp.signIn(user.email, password, request.headers['user-agent'] ?? '') : null;
      if (signedIn) response.setHeader('Set-Cookie', signedIn.setCookies);
      return {
        user: {
          id: user.id,
          email: user.email,
          platformRoles: user.platformRoles,
          whitelabelOwnership: user.whitelabelOwnership,
        },
        redirectUrl,
      };
    }),
  );

  router.get('/idp/sign-in', (request, response) =>
    sendPage(response, signInPage(request.query['redirect'], env.config.publicUrl)),
  );
  router.get('/idp/accept', async (request, response) => {
    const ticket = request.query['ticket'];
    const invitation = typeof ticket === 'string' ? await idp.findOpenInvitation(ticket) : null;
    sendPage(response.status(invitation ? 200 : 410), acceptPage(invitation));
  });
  return router;
}

/** What is there whoever the identity provider is: the script of the pages, and the mail that reaches nobody. */
export function peoplePages(env: Env): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  router.get(
    '/idp/page.js',
    (_request, response) => void response.set('Cache-Control', 'no-cache').type('text/javascript').send(pageScript),
  );

  const { mail } = env.config;
  if (mail.kind === 'kept' && !env.config.isProduction) {
    router.get('/idp/mail', async (_request, response) => sendPage(response, mailPage(await readKeptMails(mail.dir))));
  }
  return router;
}

/** Runs what answers with JSON. */
export function answer(env: Env, work: (request: Request, response: Response) => Promise<unknown>): RequestHandler {
  return async (request, response) => {
    exchangeOf(request).route = request.path;
    try {
      sendJson(request, response, 200, await work(request, response));
    } catch (error) {
      response.removeHeader('Set-Cookie');
      sendError(env, surfaces.public, request, response, error);
    }
  };
}

/** Only pages of ours may post here, and a body only as JSON: another site must not sign a visitor in or out. */
export async function readForm({ config }: Env, request: Request): Promise<Record<string, unknown>> {
  assertOwnOrigin(config, request.headers.origin);
  return readBody(request, bodyBytesMax);
}

export function textOf(body: Record<string, unknown>, name: string, lengthMax: number): string {
  const value = body[name];
  if (typeof value !== 'string' || value.trim() === '') throw invalid(name, 'is required: a text');
  if (value.length > lengthMax) throw invalid(name, `must have at most ${lengthMax} characters`);
  return value;
}

/** Null when there is none: whoever has an account is asked for none. */
function passwordOf(body: Record<string, unknown>): string | null {
  const { password } = body;
  if (password === undefined || password === null) return null;
  if (typeof password === 'string' && password.length >= passwordLengthMin && password.length <= passwordLengthMax)
    return password;
  throw new InvalidInput([
    { path: 'password', message: `must be a text of ${passwordLengthMin} to ${passwordLengthMax} characters` },
  ]);
}
