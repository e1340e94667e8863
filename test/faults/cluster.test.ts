import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { verifyAudit } from '../../src/people/audit/verify-audit.ts';
import { unresolvedCount } from '../support/ledger.ts';
import { type PatroniCluster, startPatroniCluster } from '../support/patroni-cluster.ts';
import type { Machine } from '../support/patroni-settings.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { lostAndDouble, type RepeatedCall, startFailoverLoad } from './failover-load.ts';

interface Roles {
  primary: Machine;
  standby: Machine;
  third: Machine;
}

/** A fault of a cluster, and how it ends. */
interface Fault {
  name: string;
  inject(machines: Roles): void | Promise<void>;
  /** The version of Patroni that survives it. */
  since?: string;
  /** How long it lasts until `end`. */
  seconds?: number;
  end?(machines: Roles): void;
}

let cluster: PatroniCluster;
const database = /^(patroni|postgres)/;
const faults: Fault[] = [
  { name: 'a switchover', inject: () => cluster.switchover() },
  {
    name: 'the machine of the primary lost (`kill -9` of all on it), back after 45 s',
    inject: ({ primary }) => cluster.signal(primary, 'SIGKILL'),
    seconds: 45,
    end: ({ primary }) => cluster.start(primary),
  },
  {
    name: 'the network of the primary cut for 45 s',
    inject: ({ primary }) => cluster.setNetwork(primary, 'down'),
    seconds: 45,
    end: ({ primary }) => cluster.setNetwork(primary, 'up'),
  },
  {
    name: 'the machine of the primary frozen for 45 s (`kill -STOP`)',
    // Until then a primary that was stopped took the lock back, and the others gave up what they had committed.
    since: '3.0.3',
    inject: ({ primary }) => cluster.signal(primary, 'SIGSTOP'),
    seconds: 45,
    end: ({ primary }) => cluster.signal(primary, 'SIGCONT'),
  },
  {
    name: 'the network between the primary and its synchronous standby cut for 45 s',
    inject: ({ primary, standby }) => cluster.setSilence(primary, standby, true),
    seconds: 45,
    end: ({ primary, standby }) => cluster.setSilence(primary, standby, false),
  },
  {
    name: 'the synchronous standby lost, with a third server',
    inject: ({ standby }) => cluster.signal(standby, 'SIGKILL'),
    seconds: 30,
    end: ({ standby }) => cluster.start(standby),
  },
  {
    name: 'both standbys lost in strict mode, back after 30 s',
    inject({ standby, third }) {
      for (const machine of [standby, third]) cluster.signal(machine, 'SIGKILL', database);
    },
    seconds: 30,
    end({ standby, third }) {
      for (const machine of [standby, third]) cluster.start(machine);
    },
  },
  {
    name: 'two machines of three lost, back after 30 s',
    inject({ primary, standby }) {
      for (const machine of [primary, standby]) cluster.signal(machine, 'SIGKILL');
    },
    seconds: 30,
    end({ primary, standby }) {
      for (const machine of [primary, standby]) cluster.start(machine);
    },
  },
  {
    name: 'the proxy killed, back after 3 s',
    inject: () => cluster.killProxy(),
    seconds: 3,
    end: () => cluster.startProxy(),
  },
];

/** It takes root and packages of Debian (test/support/patroni-cluster.ts), so it runs only when asked for. */
describe.skipIf(!process.env['CLUSTER'])('a cluster of Patroni under load', { timeout: 300_000 }, () => {
  const parent = mkdtempSync(join(tmpdir(), 'platform-cluster-'));
  const rows: string[] = [];
  let onlooker: TestPlatform;
  let server: ServerProcess;
  let partner: SeededPartner;
  const accounts: SeededAccount[] = [];
  const cards: string[] = [];
  /** Of all faults so far: the effects of earlier ones must still be there. */
  const acknowledged: RepeatedCall[] = [];

  beforeAll(async () => {
    cluster = await startPatroniCluster(parent);
    const env = {
      DATABASE_URL: cluster.url,
      VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
      FINGERPRINT_KEY: randomBytes(32).toString('base64'),
      IDP_SECRET: randomBytes(32).toString('base64'),
    };
    onlooker = await startTestPlatform({ databaseUrl: cluster.url, env });
    partner = await seedPartner(onlooker);
    for (let index = 0; index < 6; index++) accounts.push(await partner.account());
    for (const account of accounts) cards.push((await account.instrument()).id);
    server = await startServerProcess(env);
  }, 180_000);
  afterAll(async () => {
    console.log([head, ...rows].join('\n'));
    await server?.kill();
    await onlooker?.close().catch(() => {});
    cluster?.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  test.for(faults)('$name: each acknowledged effect is there once', async (fault, { skip }) => {
    const { name, since = '', inject, seconds = 0, end } = fault;
    const isOld = cluster.version.localeCompare(since, undefined, { numeric: true }) < 0;
    skip(isOld, `It takes Patroni ${since}.`);
    await cluster.whole();
    const [primary, standby, third] = (await cluster.roles()) as [Machine, Machine, Machine];
    const machines = { primary, standby, third };
    await onlooker.services.pool.query('DELETE FROM limits.buckets'); // the load must not end with the bucket of the plan
    const load = startFailoverLoad(server.url, { partnerKey: partner.partnerKey, accounts, cards });
    try {
      await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(20);
      const measured = load.measure();
      await inject(machines);
      await delay(seconds * 1_000); // part of the fault, not a wait for a condition
      end?.(machines);
      const { inFlightMs, errors } = await measured;
      const reached = load.acknowledged.length;
      await expect.poll(() => load.acknowledged.length, { timeout: 90_000 }).toBeGreaterThan(reached + 20);
      const others = Object.entries(errors).map(([status, count]) => `${count} x ${status}`);
      const inSeconds = [load.longestPauseMs(), inFlightMs].map((ms) => (ms / 1_000).toFixed(1));
      rows.push(`| ${[name, ...inSeconds, others.join(', '), load.acknowledged.length].join(' | ')} |`);
    } finally {
      await load.stop();
      acknowledged.push(...load.acknowledged);
    }
    await cluster.whole();
    const { services } = onlooker;
    await expect.poll(() => unresolvedCount(services.pool), { timeout: 60_000 }).toBe(0);
    expect(await lostAndDouble(services.pool, acknowledged)).toEqual({ lost: 0, double: 0 });
    expect((await verifyLedger(services)).differences).toEqual([]);
    expect(await verifyAudit(services.pool, services.auditKeys)).toMatchObject({ ok: true });
    expect(server.process.exitCode).toBeNull();
  });
});

const head = `| Fault | Seconds without a 200 | Seconds until the calls in flight were 200 | Other answers | Acknowledged effects |
|---|---|---|---|---|`;
