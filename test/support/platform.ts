import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import type { EmbeddedIdp } from '../../src/adapters/embedded-idp/embedded-idp.ts';
import type { SignedMessage } from '../../src/adapters/embedded-idp/webhook.ts';
import { setWaits } from '../../src/database/waits.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { createLog } from '../../src/observability/log.ts';
import { type Overrides, type Platform, startPlatform } from '../../src/server.ts';
import type { Config } from '../../src/settings/config.ts';
import { loadConfig } from '../../src/settings/load-config.ts';
import { type ClerkStandIn, startClerkStandIn } from './clerk-stand-in.ts';
import { dropDatabase, freshDatabase, vaultDatabaseOf } from './database.ts';
import { freePort } from './ports.ts';
import { vaultSettingsOf } from './vault-settings.ts';

export interface TestPlatform extends Platform {
  /** The provider of its users: the embedded provider, either the platform's or the one behind the stand-in. */
  idp: EmbeddedIdp;
  /** The stand-in, if the platform is configured to use Clerk. */
  clerk: ClerkStandIn | null;
  /** The database as the owner of its tables. The platform itself has the role of a server. */
  databaseUrl: string;
  /** Every log line of the server. */
  logged: string[];
}

export interface TestPlatformOptions extends Pick<Overrides, 'jobs' | 'processors' | 'clientTimeouts' | 'ownClock'> {
  clock?: Clock;
  /** Environment variables in addition to those of the tests. */
  env?: Record<string, string>;
  /** The https address of a proxy that ends TLS, which tests take the part of. Otherwise it is that of the server. */
  publicUrl?: string;
  /** A database of an earlier server, to start a second one on it. */
  databaseUrl?: string;
  /** The identity provider. TEST_IDENTITY_PROVIDER=clerk selects Clerk for tests that do not set it. */
  identityProvider?: 'embedded' | 'clerk';
  /** The kind of instance at Clerk. */
  clerkInstance?: 'production' | 'development';
  /** Where the cards are. TEST_VAULT=apart selects a database of their own for tests that do not set it. */
  vault?: 'within' | 'apart';
}

/** The real server over HTTP on a separate database. Jobs run only when a test runs them. */
export async function startTestPlatform({
  clock,
  ownClock,
  env = {},
  publicUrl,
  jobs = false,
  databaseUrl,
  processors,
  identityProvider,
  clerkInstance,
  clientTimeouts,
  vault = process.env['TEST_VAULT'] === 'apart' ? 'apart' : 'within',
}: TestPlatformOptions = {}): Promise<TestPlatform> {
  const url = databaseUrl ?? (await freshDatabase());
  const logged: string[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } });
  const clerk =
    (identityProvider ?? process.env['TEST_IDENTITY_PROVIDER']) === 'clerk'
      ? await startClerkStandIn(url, clock, clerkInstance)
      : null;
  const vaultEnv = vault === 'apart' ? vaultSettingsOf(await vaultDatabaseOf(url)) : {};
  const port = publicUrl === undefined ? null : await freePort();
  const own = { ...(publicUrl !== undefined && { PUBLIC_URL: publicUrl, PORT: String(port) }) };
  const config = testConfig(url, { ...clerk?.env, ...vaultEnv, ...own, ...env });
  // A fresh database is a copy of the template, which is prepared but for a cell. A later server checks it at its start.
  const { database, cell } = config;
  const isPrepared = databaseUrl === undefined && database.kind === 'server' && vault === 'within' && cell === '';
  const platform = await startPlatform(config, {
    log,
    ...(isPrepared && { prepared: database }),
    ...(port === null && { port: 0 }),
    jobs,
    ...(clock && { clock }),
    ...(ownClock && { ownClock }),
    ...(processors && { processors }),
    ...(clientTimeouts && { clientTimeouts }),
  });
  // Of calls at once with one key, a slow machine takes long for the first. Tests of expired waits set their own.
  setWaits(platform.services.pool, { runningCallMs: 10_000 });
  clerk?.deliverTo((message) => postMessage(platform.url, message));
  const idp = platform.idp ?? clerk?.idp;
  if (!idp) throw new Error('The platform has an identity provider the tests know nothing of.');
  const close = async (): Promise<void> => {
    await platform.close();
    await clerk?.close();
    if (databaseUrl === undefined) await dropDatabase(url);
  };
  return {
    ...platform,
    ...(port !== null && { url: `http://127.0.0.1:${port}` }),
    idp,
    clerk,
    databaseUrl: url,
    logged,
    close,
  };
}

/** A platform for the tests of a file, which is closed after them. */
export async function usePlatform(options?: TestPlatformOptions): Promise<TestPlatform> {
  const platform = await startTestPlatform(options);
  afterAll(() => platform.close());
  return platform;
}

async function postMessage(url: string, { headers, body }: SignedMessage): Promise<void> {
  const response = await fetch(`${url}/hooks/identity-provider`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`The hook answered ${response.status}: ${await response.text()}`);
}

/** The secret of a platform with the embedded identity provider. */
export function embeddedSecret(identity: Config['identity']): string {
  if (identity.kind !== 'embedded') throw new Error('This is about the embedded identity provider.');
  return identity.secret;
}

/** The keys are random in each run: no test may depend on them. */
const vaultKeys = `test:${randomBytes(32).toString('base64')}`;
const fingerprintKey = randomBytes(32).toString('base64');
const idpSecret = randomBytes(32).toString('base64');

/** A server of the run's own databases is behind the pooler of the run, if there is one. */
function pooled(url: string): Record<string, string> {
  const port = inject('poolerPort');
  if (port === null || new URL(url).port !== new URL(inject('postgresUrl')).port) return { DATABASE_URL: url };
  return { DATABASE_URL: Object.assign(new URL(url), { port }).href, DATABASE_DIRECT_URL: url };
}

export function testConfig(databaseUrl: string, env: Record<string, string> = {}): Config {
  return loadConfig({
    NODE_ENV: 'test',
    VAULT_KEYS: vaultKeys,
    FINGERPRINT_KEY: fingerprintKey,
    IDP_SECRET: idpSecret,
    DATABASE_POOL_SIZE: '8',
    PLATFORM_DIR: join(tmpdir(), 'platform-test-no-demo'),
    ...env,
    MIGRATION_DATABASE_URL: databaseUrl,
    ...pooled(asServerRole(databaseUrl)),
  });
}
