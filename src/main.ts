import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, loadConfig } from './kit/config.ts';
import { AlreadyRunning } from './kit/embedded-postgres.ts';
import { type Platform, startPlatform } from './start.ts';

/** The stop may take ten seconds; whatever still hangs then is left behind. */
const stopMaxMs = 9_500;

try {
  const platform = await startPlatform(loadConfig());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(platform));
  process.stdout.write(welcome(platform));
} catch (error) {
  // What the operator can put right is one sentence; anything else is a fault, and its trace is wanted.
  const expected = error instanceof ConfigError || error instanceof AlreadyRunning;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

async function stop(platform: Platform): Promise<void> {
  setTimeout(() => process.exit(1), stopMaxMs).unref();
  try {
    await platform.close();
    process.exit(0);
  } catch (error) {
    platform.env.log.error({ err: error }, 'The stop was not clean.');
    process.exit(1);
  }
}

function welcome({ url, env }: Platform): string {
  const demo = env.config.isProduction ? undefined : readDemo(env.config.platformDir);
  const lines = [
    '',
    `The platform serves at ${url}`,
    ...(env.config.graphiql ? [`  GraphiQL       ${url}/graphql`] : []),
    `  API reference  ${url}/api/public/v1/docs`,
    `  Health         ${url}/health/ready`,
  ];
  if (demo) {
    const { subKey, storeId } = demo.accounts.test;
    const body = JSON.stringify({ storeId, amount: 1999, currency: 'USD', mode: 'purchase', paymentInstrument: { token: 'tok_visa' } });
    lines.push(`  Demo keys      ${join(env.config.platformDir, 'demo.json')}`, '', 'Charge a test card:', `curl -s ${url}/api/public/v1/payments/process -H 'Authorization: Bearer ${subKey}' -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s%N)" -d '${body}'`);
  }
  return `${lines.join('\n')}\n\n`;
}

function readDemo(platformDir: string): { accounts: { test: { subKey: string; storeId: string } } } | undefined {
  try {
    return JSON.parse(readFileSync(join(platformDir, 'demo.json'), 'utf8')); // written by prisma/seed.ts
  } catch {
    return undefined;
  }
}
