import { type RequestHandler, Router } from 'express';
import { createContext } from '../../../src/call/context.ts';
import { authenticateSession, joinAsSignedIn, listOwnInvitations } from '../../../src/iam/public.ts';
import { Forbidden } from '../../../src/lib/errors.ts';
import { countAddress } from '../../../src/limits/windows.ts';
import type { Services } from '../../../src/services.ts';
import { recordRefusal } from '../../../src/unit-of-work/refusals.ts';
import { admit, assertOwnPage } from '../../engine/admit.ts';
import { readBody } from '../../engine/body.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import { wordsFor } from '../../engine/reader.ts';
import { answer, onlyFields, textOf } from '../frame/forms.ts';
import { sendSitePage } from '../frame/page.ts';
import { visitorOf } from '../frame/visitor.ts';
import { closedInvitationPage, joinPage, signInToJoinPage } from './accept-pages.ts';
import { acceptancesOfAddressMax } from './sign-in.ts';
import { landing } from './sign-in-pages.ts';

const bodyBytesMax = 16 * 1024;

/**
 * The page to which an accepted invitation redirects. The provider reports the acceptance of a new user; a user with an
 * existing account accepts here, signed in. Written by hand because it answers with a page.
 */
export function joinRoutes(services: Services): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  router.get('/join', async (request, response) => {
    const visitor = await visitorOf(services, request);
    if (visitor === 'mustEnroll') return response.redirect(303, 'idp/account');
    const words = wordsFor(request);
    if (visitor.kind === 'anonymous') {
      return sendSitePage(request, response, { ...signInToJoinPage(words), status: 401, hasScript: true });
    }
    const { open, hasClosed } = await listOwnInvitations(services, visitor.userId);
    if (open.length > 0) return sendSitePage(request, response, { ...joinPage(words, open), hasScript: true });
    if (hasClosed && visitor.whitelabelOwnership === null)
      return sendSitePage(request, response, { ...closedInvitationPage(words), status: 410 });
    response.redirect(303, landing);
  });

  router.post(
    '/join',
    answer(async (request) => {
      const ip = request.ip ?? '';
      const { caller, viaCookie } = await admit(services, request, authenticateSession, ip);
      await countAddress(services, 'accept', ip, acceptancesOfAddressMax);
      const context = createContext({ services, caller, requestId: exchangeOf(request).requestId, ip });
      if (viaCookie) await assertOwnPage(context, request, () => ['acceptInvitation']);
      const body = onlyFields(await readBody(services, request, bodyBytesMax), ['partnerSlug']);
      const partnerSlug = textOf(body, 'partnerSlug', 40);
      const { platformRoles, whitelabelOwnership } = await joinAsSignedIn(context, caller, partnerSlug).catch(
        async (error: unknown) => {
          if (error instanceof Forbidden)
            await recordRefusal(context, { action: 'acceptInvitation', target: partnerSlug }, error);
          throw error;
        },
      );
      return {
        platformRoles,
        whitelabelOwnership,
        redirectUrl: `${services.config.publicUrl}/${landing}`,
      };
    }),
  );
  return router;
}
