import type { Funnel, FunnelSession } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { newId } from '../../kit/ids.ts';
import type { Write } from '../../write/write.ts';
import { checkoutToken, tokenHashOf } from './checkout-token.ts';
import { countFigures } from './count-figures.ts';
import { enterStep, recordStepEvents } from './enter-step.ts';
import { entryOf, isEnd } from './next-step.ts';
import { figuresOfEntry } from './session-figures.ts';
import { abandonedAfterMs, graphOf } from './session-records.ts';

/** Creates a session at the entry of a funnel, in a transaction in progress. */
export async function startSession(
  { services }: Pick<KeyContext, 'services'>,
  change: Write,
  funnel: Funnel,
  customerId: string | null,
): Promise<FunnelSession> {
  const { tx, now } = change;
  const { id: funnelId, version, partnerId, platformAccountId, mode, storeId } = funnel;
  const graph = await graphOf(tx, { funnelId, version });
  const id = newId('fs_', now);
  const blank: FunnelSession = {
    id,
    partnerId,
    platformAccountId,
    mode,
    storeId,
    funnelId,
    version,
    customerId,
    paymentInstrumentId: null,
    variantKey: customerId ?? id,
    tokenHash: tokenHashOf(checkoutToken(services.config, id)),
    currentStepId: '',
    variantId: null,
    status: 'active',
    moves: 0,
    convertedAt: null,
    expiresAt: new Date(now.getTime() + abandonedAfterMs),
    sequence: 0,
    createdAt: now,
    updatedAt: now,
  };
  const entered = enterStep(graph, blank, entryOf(graph).id, now);
  const converted = entered.convertedAt !== null;
  const session = await tx.funnelSession.create({ data: { ...entered, sequence: converted ? 2 : 1 } });
  recordStepEvents(change, session, 0, { converted, done: isEnd(graph, session.currentStepId) });
  await countFigures(change, funnelId, [
    { stepId: '', variantId: null, measure: 'sessions', n: 1 },
    ...figuresOfEntry(session, converted),
  ]);
  return session;
}
