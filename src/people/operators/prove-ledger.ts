import { type LedgerReport, verifyLedger } from '../../domains/ledger/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { Services } from '../../services.ts';

/** More differences than this are counted and not listed. */
export const differencesShownMax = 100;

const running = new WeakMap<Services['pool'], Promise<LedgerReport>>();

/** Verifies the whole ledger. Calls during a verification in this process share its result. */
export function proveLedger({ services }: SessionContext): Promise<LedgerReport> {
  const present = running.get(services.pool);
  if (present) return present;
  const proof = verifyLedger(services).finally(() => running.delete(services.pool));
  running.set(services.pool, proof);
  return proof;
}
