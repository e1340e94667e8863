import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/kit/clock.ts';
import { type Config, loadConfig } from '../../src/kit/config.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Overrides, type Platform, startPlatform } from '../../src/start.ts';
import { dropDatabase, freshDatabase } from './database.ts';

export interface TestPlatform extends Platform {
  databaseUrl: string;
  /** Every line the server logged, as text. */
  logged: string[];
}

export interface TestPlatformOptions extends Pick<Overrides, 'sweeps' | 'processors'> {
  clock?: Clock;
  /** Environment variables beside the test's own. */
  env?: Record<string, string>;
  /** A database of an earlier server, to start a second one on it. */
  databaseUrl?: string;
}

/** The real server over HTTP on a database of its own. Sweeps run only when asked for, so that a test decides when they do. */
export async function startTestPlatform({ clock, env = {}, sweeps = false, databaseUrl, processors }: TestPlatformOptions = {}): Promise<TestPlatform> {
  const url = databaseUrl ?? (await freshDatabase());
  const logged: string[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } });
  const platform = await startPlatform(testConfig(url, env), { log, port: 0, sweeps, ...(clock && { clock }), ...(processors && { processors }) });
  const close = async (): Promise<void> => {
    await platform.close();
    if (databaseUrl === undefined) await dropDatabase(url);
  };
  return { ...platform, databaseUrl: url, logged, close };
}

/** Keys of a run are random: nothing may depend on them. */
const vaultKeys = `test:${randomBytes(32).toString('base64')}`;
const fingerprintKey = randomBytes(32).toString('base64');
const idpSecret = randomBytes(32).toString('base64');

export function testConfig(databaseUrl: string, env: Record<string, string> = {}): Config {
  return loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    VAULT_KEYS: vaultKeys,
    FINGERPRINT_KEY: fingerprintKey,
    IDP_SECRET: idpSecret,
    DATABASE_POOL_SIZE: '8',
    PLATFORM_DIR: join(tmpdir(), 'platform-test-no-demo'),
    ...env,
  });
}
