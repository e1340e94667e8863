import type { FunnelSession } from '../../generated/prisma/client.ts';
import type { Write } from '../../write/write.ts';
import type { FunnelGraph } from './graph-rules.ts';
import { isEnd, nodeOf } from './next-step.ts';
import { sessionEvent } from './session-records.ts';
import { variantFor } from './variant-choice.ts';

/** The session at its next step. */
export function enterStep(graph: FunnelGraph, session: FunnelSession, stepId: string, now: Date): FunnelSession {
  const node = nodeOf(graph, stepId);
  return {
    ...session,
    currentStepId: stepId,
    variantId: variantFor(session.variantKey, stepId, node.variants),
    status: isEnd(graph, stepId) ? 'completed' : 'active',
    convertedAt: session.convertedAt ?? (node.isConversion ? now : null),
  };
}

/** Records the events of entering a step. */
export function recordStepEvents(
  change: Write,
  session: FunnelSession,
  sequenceBefore: number,
  { converted, done }: { converted: boolean; done: boolean },
): void {
  change.event(sessionEvent('funnel/stepEntered', session, sequenceBefore + 1, done));
  if (converted) change.event(sessionEvent('funnel/converted', session, sequenceBefore + 2, done));
}
