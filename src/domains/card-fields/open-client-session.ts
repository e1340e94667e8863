import { assertOpenToVisitors } from '../../auth/standing.ts';
import type { ClientSession } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { type VisitorRequest, visitorContext } from '../../graph/visitor-context.ts';
import { Gone, NotFound } from '../../kit/errors.ts';
import type { Services } from '../../services.ts';
import { isSecretOf, sessionIdIn } from './client-secret.ts';

/** A request of the fields' frame. The secret comes in its body. */
export interface FieldsRequest extends VisitorRequest {
  clientSecret: string;
}

/** What a client secret opens: its session, and a caller to whom only its account is visible. */
export interface OpenSession {
  context: KeyContext;
  session: ClientSession;
  storeName: string;
}

/** 404 if there is no such session, 410 if it has expired, 403 if its partner or account is cut off. */
export async function openClientSession(
  services: Services,
  { clientSecret, ...from }: FieldsRequest,
): Promise<OpenSession> {
  const id = sessionIdIn(clientSecret);
  const found =
    id === null
      ? null
      : await services.prisma.clientSession.findUnique({
          where: { id },
          include: { store: { include: { account: { include: { partner: { select: { status: true } } } } } } },
        });
  if (!found || !isSecretOf(found, clientSecret)) throw new NotFound('There is no such client session.');
  const { store, ...session } = found;
  // Before it is said whether the session was used.
  if (session.expiresAt <= services.clock.realPassed())
    throw new Gone('The client session is over: it lives for 30 minutes.');
  assertOpenToVisitors(store.account);
  return { context: visitorContext(services, session, from), session, storeName: store.name };
}

export function usedSessionError(): Gone {
  return new Gone('The client session has made its token: create another one for another card.');
}
