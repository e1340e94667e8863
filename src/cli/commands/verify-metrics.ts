import { verifyFigures } from '../../domains/ledger/figures/sum-days.ts';
import { withServices } from './with-services.ts';

export const run = (): Promise<number> =>
  withServices(async (services) => {
    const { differences, kept } = await verifyFigures(services);
    for (const { platformAccountId, day } of differences) console.log(`${platformAccountId}: ${day} differs`);
    console.log(
      `${kept} kept figures: ${differences.length === 0 ? 'no differences' : `${differences.length} days differ`}.`,
    );
    return differences.length > 0 ? 1 : 0;
  });
