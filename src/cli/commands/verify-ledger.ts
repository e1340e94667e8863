import { storeCheck } from '../../domains/ledger/ledger-checks.ts';
import { verifyLedger } from '../../domains/ledger/verify-ledger.ts';
import { writeSentence } from '../../observability/sentences.ts';
import { withServices } from './with-services.ts';

const shownMax = 1_000;

export const run = (): Promise<number> =>
  withServices(async (services) => {
    const at = services.clock.now();
    const { differences, ...counts } = await verifyLedger(services);
    try {
      await storeCheck(services.pool, { mode: null, at, differences });
    } catch (error) {
      writeSentence(
        'error',
        `The result could not be stored: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    for (const { about, message } of differences.slice(0, shownMax)) console.log(`${about}: ${message}`);
    console.log(
      `${counts.postings} postings, ${counts.payments} payments, ${counts.charges} charges in the test ` +
        `processor's records (${counts.unresolved} with an unknown outcome): ` +
        `${differences.length === 0 ? 'no differences' : `${differences.length} differences`}.`,
    );
    return differences.length > 0 ? 1 : 0;
  });
