import { type LedgerReport, verifyLedger } from '../../domains/ledger/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { Mode } from '../../kit/mode.ts';
import type { Services } from '../../services.ts';

/** More differences than this are counted and not listed. */
export const differencesShownMax = 100;

const running = new WeakMap<Services['pool'], Map<Mode | null, Promise<LedgerReport>>>();

/** Verifies the ledger of a mode, or of both. Calls during a verification in this process share its result. */
export function proveLedger({ services }: SessionContext, mode: Mode | null): Promise<LedgerReport> {
  const ofPool = running.get(services.pool) ?? new Map<Mode | null, Promise<LedgerReport>>();
  running.set(services.pool, ofPool);
  const present = ofPool.get(mode);
  if (present) return present;
  const proof = verifyLedger(services, mode).finally(() => ofPool.delete(mode));
  ofPool.set(mode, proof);
  return proof;
}
