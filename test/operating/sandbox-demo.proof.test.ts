import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fillDatabase } from '../../src/local/demo.ts';
import { createLog } from '../../src/observability/log.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, testConfig } from '../support/platform.ts';
import { liveRows } from './live-rows.ts';

test('the demo data of a sandbox has nothing live', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'platform-sandbox-'));
  const databaseUrl = await freshDatabase();
  const env = { PLATFORM_DIR: directory, SANDBOX: 'true' };
  await fillDatabase(testConfig(databaseUrl, env), databaseUrl, createLog({ level: 'silent' }));
  const demo = JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
  const seeded = await startTestPlatform({ databaseUrl, env });
  try {
    expect(await liveRows(seeded)).toEqual({});
    expect([demo.partnerKeys.live, demo.accounts.live]).toEqual([null, null]);
    expect(await clientOf(seeded, demo.partnerKeys.test).ok('/auth/test')).toMatchObject({ environment: 'sandbox' });
  } finally {
    await seeded.close();
    rmSync(directory, { recursive: true, force: true });
  }
}, 180_000);
