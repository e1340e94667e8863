import { randomBytes } from 'node:crypto';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { endSession } from '../../../src/iam/public.ts';
import { cookieAt } from '../../../src/lib/cookies.ts';
import { NotAuthorized } from '../../../src/lib/errors.ts';
import { addressLimit } from '../../../src/limits/windows.ts';
import type { HostedPages } from '../../../src/ports/identity-provider.ts';
import type { Services } from '../../../src/services.ts';
import { cookieNamed, wordsFor } from '../../engine/reader.ts';
import { answer, readForm } from '../frame/forms.ts';
import { sendSitePage } from '../frame/page.ts';
import { visitorOf } from '../frame/visitor.ts';
import { ownPath, signedInPage, signInAgainPage } from './sign-in-pages.ts';

/** A sign-in may have several steps at the provider. */
const stateMaxMs = 3_600_000;
/** Each visit may be a request to the provider. */
const visitsPerMinute = 200;

interface Visit {
  /** What the browser has opened, or opens next. */
  url: string;
  /** Where the provider's sign-in page leads to. */
  returnUrl: string;
  then: string;
  /** Whether the browser comes from the sign-in page. */
  wasAsked: boolean;
}

/**
 * The sign-in at a provider on another site, at the addresses of the embedded one. A browser that has a session there
 * gets its cookies on this origin. All of it is redirects.
 */
export function hostedSignInRoutes(services: Services, hosted: HostedPages): RequestHandler {
  const { config, identityProvider } = services;
  const router = Router({ strict: true, caseSensitive: true });
  const countVisit = addressLimit(services, visitsPerMinute);
  const stateCookie = cookieAt(config.publicUrl, 'platform.sign_in');

  router.get('/idp/sign-in', async (request, response) => {
    const then = ownPath(request.query['redirect'], config);
    const visitor = await visitorOf(services, request);
    if (visitor !== 'mustEnroll' && visitor.kind === 'session')
      return sendSitePage(request, response, {
        ...signedInPage(wordsFor(request), visitor.email, then),
        hasScript: true,
      });
    const state = randomBytes(24).toString('base64url');
    response.cookie(stateCookie.name, state, { ...stateCookie.options, maxAge: stateMaxMs });
    const returnUrl = returnUrlOf(state, then);
    await visit(request, response, { url: returnUrl, returnUrl: `${returnUrl}&asked=1`, then, wasAsked: false });
  });

  router.get('/idp/sign-in/return', async (request, response) => {
    const { state, redirect, asked } = request.query;
    const then = ownPath(redirect, config);
    // Without the cookie, a link of another site could sign the person in as another user.
    const own = cookieNamed(request, stateCookie);
    if (!own || own !== state) return response.redirect(303, `../sign-in?${new URLSearchParams({ redirect: then })}`);
    await visit(request, response, {
      url: `${config.publicUrl}${request.originalUrl}`,
      returnUrl: `${returnUrlOf(own, then)}&asked=1`,
      then,
      wasAsked: asked !== undefined,
    });
  });

  router.post(
    '/idp/sign-out',
    answer(async (request, response) => {
      await readForm(services, request, []);
      const cookie = request.headers.cookie ?? '';
      const verified = await identityProvider.verifySession({ cookie });
      if (verified.ok) {
        const { userId, sessionId } = verified.session;
        await identityProvider.revokeSession(userId, sessionId);
        await endSession(services.prisma, verified.session, services.clock.now());
      }
      response.setHeader('Set-Cookie', hosted.removeCookies(cookie));
      return { signedOut: true };
    }),
  );

  router.get('/idp/second-factor', (request, response) =>
    sendSitePage(request, response, {
      ...signInAgainPage(wordsFor(request), ownPath(request.query['redirect'], config)),
      hasScript: true,
    }),
  );

  router.get('/idp/account', (_request, response) => response.redirect(303, hosted.accountUrl));
  return router;

  function returnUrlOf(state: string, then: string): string {
    return `${config.publicUrl}/idp/sign-in/return?${new URLSearchParams({ state, redirect: then })}`;
  }

  async function visit(request: Request, response: Response, { url, returnUrl, then, wasAsked }: Visit): Promise<void> {
    countVisit(request.ip);
    const { cookie } = request.headers;
    const taken = await hosted.takeOver({ url, cookie });
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    for (const line of taken.setCookies) response.append('Set-Cookie', line);
    if (taken.outcome === 'redirect') return response.redirect(303, taken.location);
    if (taken.outcome === 'signed_in') {
      response.clearCookie(stateCookie.name, stateCookie.options);
      return response.redirect(303, new URL(then, `${config.publicUrl}/idp/sign-in`).href);
    }
    // Asked again, it might answer the same at once, and so without an end.
    if (wasAsked)
      throw new NotAuthorized(
        'The identity provider has no session for this address. Sign in again at /idp/sign-in. If you were signed in ' +
          'there, the address of this platform is not an address of its instance.',
      );
    response.redirect(303, hosted.signInUrl(returnUrl));
  }
}
