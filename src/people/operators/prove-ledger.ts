import { type LedgerReport, storeCheck, verifyLedger } from '../../domains/ledger/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { Mode } from '../../kit/mode.ts';
import type { Services } from '../../services.ts';

const running = new WeakMap<Services['pool'], Map<Mode | null, Promise<LedgerReport>>>();

/**
 * Verifies the ledger of a mode, or of both, and keeps the result. Calls during a verification in this process share
 * its result.
 */
export function proveLedger({ services }: SessionContext, mode: Mode | null): Promise<LedgerReport> {
  const ofPool = running.get(services.pool) ?? new Map<Mode | null, Promise<LedgerReport>>();
  running.set(services.pool, ofPool);
  const present = ofPool.get(mode);
  if (present) return present;
  const proof = verifyAndStore(services, mode).finally(() => ofPool.delete(mode));
  ofPool.set(mode, proof);
  return proof;
}

async function verifyAndStore(services: Services, mode: Mode | null): Promise<LedgerReport> {
  const at = services.clock.now();
  const report = await verifyLedger(services, mode);
  await storeCheck(services.pool, { kind: 'ledger', mode, at, differences: report.differences });
  return report;
}
