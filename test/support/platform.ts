import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/kit/clock.ts';
import { type Config, loadConfig } from '../../src/kit/config.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Overrides, type Platform, startPlatform } from '../../src/start.ts';
import type { EmbeddedIdp } from '../../src/idp/embedded-idp.ts';
import type { SignedMessage } from '../../src/idp/webhook.ts';
import { type ClerkStandIn, startClerkStandIn } from './clerk-stand-in.ts';
import { dropDatabase, freshDatabase } from './database.ts';

export interface TestPlatform extends Platform {
  /** Where its people are: the embedded provider, be it the platform's own or the one behind the stand-in. */
  idp: EmbeddedIdp;
  /** The stand-in, where the platform believes that it speaks to Clerk. */
  clerk: ClerkStandIn | null;
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
  /** Who keeps the people. TEST_IDENTITY_PROVIDER=clerk runs with the other one whatever does not say. */
  identityProvider?: 'embedded' | 'clerk';
}

/** The real server over HTTP on a database of its own. Sweeps run only when asked for, so that a test decides when they do. */
export async function startTestPlatform({
  clock,
  env = {},
  sweeps = false,
  databaseUrl,
  processors,
  identityProvider,
}: TestPlatformOptions = {}): Promise<TestPlatform> {
  const url = databaseUrl ?? (await freshDatabase());
  const logged: string[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } });
  const clerk =
    (identityProvider ?? process.env['TEST_IDENTITY_PROVIDER']) === 'clerk' ? await startClerkStandIn(url) : null;
  const platform = await startPlatform(testConfig(url, { ...clerk?.env, ...env }), {
    log,
    port: 0,
    sweeps,
    ...(clock && { clock }),
    ...(processors && { processors }),
  });
  clerk?.deliverTo((message) => postMessage(platform.url, message));
  const idp = platform.idp ?? clerk?.idp;
  if (!idp) throw new Error('The platform has an identity provider the tests know nothing of.');
  const close = async (): Promise<void> => {
    await platform.close();
    await clerk?.close();
    if (databaseUrl === undefined) await dropDatabase(url);
  };
  return { ...platform, idp, clerk, databaseUrl: url, logged, close };
}

async function postMessage(url: string, { headers, body }: SignedMessage): Promise<void> {
  const response = await fetch(`${url}/hooks/identity-provider`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`The hook answered ${response.status}: ${await response.text()}`);
}

/** The secret of a platform whose identity provider is the embedded one. */
export function embeddedSecret(identity: Config['identity']): string {
  if (identity.kind !== 'embedded') throw new Error('This is about the embedded identity provider.');
  return identity.secret;
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
