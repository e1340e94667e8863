import type { Payment } from '../../generated/prisma/client.ts';
import type { Services } from '../../services.ts';
import { urlOfSession } from './step-url.ts';
import { openVisit, type Visit, type VisitFrom } from './visit.ts';

/** The URL of the issuer's challenge, null if there is none, and the page to which the visitor returns. */
export async function readChallenge(
  services: Services,
  from: VisitFrom,
): Promise<{ sessionId: string; challengeUrl: string | null; url: string | null }> {
  const visit = await openVisit(services, from);
  const payment = await findChallengedPayment(visit);
  const { url = null } = (payment?.requireActionData ?? {}) as { url?: string }; // written as RequiredAction only
  return { sessionId: visit.session.id, challengeUrl: url, url: await urlOfSession(services, visit.session) };
}

/** The latest payment of the step that waits for the answer to a challenge. */
export async function findChallengedPayment({ context, session, node }: Visit): Promise<Payment | null> {
  const { prisma } = context.services;
  const known = await prisma.funnelOrder.findFirst({ where: { sessionId: session.id, stepId: node.id } });
  if (!known) return null;
  return prisma.payment.findFirst({
    where: { orderId: known.orderId, status: 'pending', subStatus: 'requires_action' },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}
