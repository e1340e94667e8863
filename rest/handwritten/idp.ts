import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { EmbeddedIdp } from '../../src/adapters/embedded-idp/embedded-idp.ts';
import { InvalidInput, invalid, NotAuthorized } from '../../src/kit/errors.ts';
import { passwordLengthMax, passwordLengthMin } from '../../src/kit/password-bounds.ts';
import { acceptInvitation, assertOwnOrigin, countAttempt } from '../../src/people/identity/public.ts';
import { endSession } from '../../src/people/mirror/public.ts';
import type { SavedMail } from '../../src/ports/mailer.ts';
import type { Services } from '../../src/services.ts';
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
 * The pages and API of the embedded identity provider: sign-in, tokens, and accepting an invitation. Written by hand
 * because the caller is not authenticated yet and the answers set cookies.
 */
export function idpRoutes(services: Services, idp: EmbeddedIdp): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  router.post(
    '/idp/sign-in/email',
    answer(services, async (request, response) => {
      const body = await readForm(services, request);
      const email = textOf(body, 'email', 320);
      const password = textOf(body, 'password', passwordLengthMax);
      await countAttempt(services, `sign-in/address/${request.ip}`, signInsOfAddressMax);
      await countAttempt(services, `sign-in/email/${email.toLowerCase()}`, signInsOfEmailMax);
      const signedIn = await idp.signIn(email, password, request.headers['user-agent'] ?? '');
      if (!signedIn) throw new NotAuthorized('E-mail or password is wrong.');
      response.setHeader('Set-Cookie', signedIn.setCookies);
      return { user: { id: signedIn.userId, email: signedIn.email } };
    }),
  );

  router.post(
    '/idp/sign-out',
    answer(services, async (request, response) => {
      await readForm(services, request);
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
    answer(services, async (request) => {
      assertOwnOrigin(services.config, request.headers.origin);
      const token = await idp.tokenOf(request.headers.cookie ?? '');
      if (token === null) throw new NotAuthorized('There is no session: sign in first.');
      return { token };
    }),
  );

  router.get(
    '/idp/jwks',
    answer(services, () => idp.jwks()),
  );

  router.post(
    '/idp/accept',
    answer(services, async (request, response) => {
      const body = await readForm(services, request);
      const ticket = textOf(body, 'ticket', 200);
      const password = passwordOf(body);
      await countAttempt(services, `accept/address/${request.ip}`, acceptancesOfAddressMax);
      const session = await idp.verifySession({ cookie: request.headers.cookie ?? '' });
      const { user, redirectUrl, isNew } = await acceptInvitation(
        { services, requestId: exchangeOf(request).requestId, ip: request.ip ?? null },
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
    sendPage(response, signInPage(request.query['redirect'], services.config.publicUrl)),
  );
  router.get('/idp/accept', async (request, response) => {
    const ticket = request.query['ticket'];
    const invitation = typeof ticket === 'string' ? await idp.findOpenInvitation(ticket) : null;
    sendPage(response.status(invitation ? 200 : 410), acceptPage(invitation));
  });
  return router;
}

/** Routes for every identity provider: the script of the pages, and the mail that is stored instead of sent. */
export function peoplePages(services: Services, readSavedMails: (dir: string) => Promise<SavedMail[]>): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  router.get(
    '/idp/page.js',
    (_request, response) => void response.set('Cache-Control', 'no-cache').type('text/javascript').send(pageScript),
  );

  const { mail } = services.config;
  if (mail.kind === 'kept' && !services.config.isProduction) {
    router.get('/idp/mail', async (_request, response) => sendPage(response, mailPage(await readSavedMails(mail.dir))));
  }
  return router;
}

/** A handler that answers with JSON. */
export function answer(
  services: Services,
  work: (request: Request, response: Response) => Promise<unknown>,
): RequestHandler {
  return async (request, response) => {
    exchangeOf(request).route = request.path;
    try {
      sendJson(request, response, 200, await work(request, response));
    } catch (error) {
      response.removeHeader('Set-Cookie');
      sendError(services, surfaces.public, request, response, error);
    }
  };
}

/** Accepts JSON from the platform's own pages only, so that another site cannot sign a user in or out. */
async function readForm({ config }: Services, request: Request): Promise<Record<string, unknown>> {
  assertOwnOrigin(config, request.headers.origin);
  return readBody(request, bodyBytesMax);
}

export function textOf(body: Record<string, unknown>, name: string, lengthMax: number): string {
  const value = body[name];
  if (typeof value !== 'string' || value.trim() === '') throw invalid(name, 'is required: a text');
  if (value.length > lengthMax) throw invalid(name, `must have at most ${lengthMax} characters`);
  return value;
}

/** The password, or null if none is given: a user who has an account gives none. */
function passwordOf(body: Record<string, unknown>): string | null {
  const { password } = body;
  if (password === undefined || password === null) return null;
  if (typeof password === 'string' && password.length >= passwordLengthMin && password.length <= passwordLengthMax)
    return password;
  throw new InvalidInput([
    { path: 'password', message: `must be a text of ${passwordLengthMin} to ${passwordLengthMax} characters` },
  ]);
}
