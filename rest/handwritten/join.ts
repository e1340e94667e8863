import { type RequestHandler, Router } from 'express';
import type { Env } from '../../src/env.ts';
import { assertOwnOrigin, authenticateSession } from '../../src/identity/authenticate-session.ts';
import { joinAsSignedIn, listOpenInvitations } from '../../src/identity/join-signed-in.ts';
import { countAttempt } from '../../src/identity/attempts.ts';
import { type Context, createContext } from '../../src/graph/context.ts';
import { Forbidden, NotAuthorized } from '../../src/kit/errors.ts';
import { recordRefusal } from '../../src/kit/refusals.ts';
import { readBody } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { acceptancesOfAddressMax, answer, textOf } from './idp.ts';
import { joinPage, sendPage } from './idp-pages.ts';

const bodyBytesMax = 16 * 1024;

/**
 * Where an accepted invitation leads. For a new account the provider has told of the acceptance; somebody who had an account before
 * says here, signed in, that they accept. By hand, since a page is what they come for.
 */
export function joinRoutes(env: Env): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  router.get('/join', async (request, response) => {
    exchangeOf(request).route = '/join';
    const { authorization, cookie } = request.headers;
    const session = await authenticateSession(env, { authorization, cookie }).catch((error: unknown) => {
      if (error instanceof NotAuthorized) return null;
      throw error;
    });
    if (!session)
      return sendPage(response.status(401), joinPage(null, env.config.identity.kind === 'embedded'), 'idp/page.js');
    const partners = await listOpenInvitations(env, session.caller.userId);
    if (partners.length === 0) return response.redirect(303, 'graphql');
    sendPage(response, joinPage(partners, true), 'idp/page.js');
  });

  router.post(
    '/join',
    answer(env, async (request) => {
      const { authorization, cookie, origin } = request.headers;
      const { caller, viaCookie } = await authenticateSession(env, { authorization, cookie });
      await countAttempt(env, `accept/address/${request.ip}`, acceptancesOfAddressMax);
      const context = createContext({ env, caller, requestId: exchangeOf(request).requestId, ip: request.ip ?? '' });
      if (viaCookie) await assertOwnPage(context, origin);
      const partnerSlug = textOf(await readBody(request, bodyBytesMax), 'partnerSlug', 40);
      const { platformRoles, whitelabelOwnership } = await joinAsSignedIn(context, caller, partnerSlug).catch(
        async (error: unknown) => {
          if (error instanceof Forbidden)
            await recordRefusal(context, { action: 'acceptInvitation', target: partnerSlug }, error);
          throw error;
        },
      );
      return { platformRoles, whitelabelOwnership, redirectUrl: `${env.config.publicUrl}/graphql` };
    }),
  );
  return router;
}

async function assertOwnPage(context: Context, origin: string | undefined): Promise<void> {
  try {
    assertOwnOrigin(context.env.config, origin);
  } catch (refusal) {
    await recordRefusal(context, { action: 'acceptInvitation', target: null }, refusal);
    throw refusal;
  }
}
