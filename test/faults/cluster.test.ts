import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { unresolvedCount } from '../support/ledger.ts';
import { startTestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { startServerProcess } from '../support/server-process.ts';
import { lostAndDouble, startFailoverLoad } from './failover-load.ts';

/**
 * A cluster that somebody has set up, and the faults to inject: CLUSTER_URL is the URL of an empty database through
 * the cluster's proxy, as the owner; CLUSTER_FAULT is a command of the shell.
 */
const { CLUSTER_URL: url = '', CLUSTER_FAULT: fault = '' } = process.env;

test.skipIf(url === '')(
  'a fault of a cluster under load: each acknowledged effect is there once',
  {
    timeout: 300_000,
  },
  async () => {
    const env = {
      DATABASE_URL: url,
      VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
      FINGERPRINT_KEY: randomBytes(32).toString('base64'),
      IDP_SECRET: randomBytes(32).toString('base64'),
    };
    const onlooker = await startTestPlatform({ databaseUrl: url, env });
    const server = await startServerProcess(env);
    try {
      const partner = await seedPartner(onlooker);
      const accounts: SeededAccount[] = [];
      for (let index = 0; index < 6; index++) accounts.push(await partner.account());
      const cards = [];
      for (const account of accounts) cards.push((await account.instrument()).id);
      const load = startFailoverLoad(server.url, { partnerKey: partner.partnerKey, accounts, cards });
      await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(50);
      const measured = load.measure();
      execFileSync('sh', ['-c', fault]);
      const { firstMs, inFlightMs, errors } = await measured;
      await load.stop();
      await expect.poll(() => unresolvedCount(onlooker.services.pool), { timeout: 30_000 }).toBe(0);
      expect(await lostAndDouble(onlooker.services.pool, load.acknowledged)).toEqual({ lost: 0, double: 0 });
      expect((await verifyLedger(onlooker.services)).differences).toEqual([]);
      const seconds = (ms: number) => (ms / 1_000).toFixed(1);
      const acknowledged = load.acknowledged.length;
      console.log(JSON.stringify({ first: seconds(firstMs), inFlight: seconds(inFlightMs), errors, acknowledged }));
    } finally {
      await server.kill();
      await onlooker.close().catch(() => {});
    }
  },
);
