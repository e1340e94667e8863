import { verifyFigures } from '../domains/ledger/figures/sum-days.ts';
import { runWithServices } from './with-services.ts';

const help = `Counts the figures of operators again from payments, refunds and disputes.

  npm run figures:verify

Exits with 1 if the kept ones differ. The platform need not be running.
`;

await runWithServices(help, async (services) => {
  const { differences, kept } = await verifyFigures(services);
  for (const { platformAccountId, day } of differences) console.log(`${platformAccountId}: ${day} differs`);
  console.log(
    `${kept} kept figures: ${differences.length === 0 ? 'no differences' : `${differences.length} days differ`}.`,
  );
  return differences.length > 0 ? 1 : 0;
});
