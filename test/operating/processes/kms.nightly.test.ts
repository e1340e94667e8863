// guards: src/keys src/operating/open-config.ts src/settings/wrapped-keys.ts src/settings/load-config.ts src/cli/commands/keys.ts src/cli/commands/secrets.ts docs/self-hosting/keys.md
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asServerRole } from '../../../src/local/postgres-programs.ts';
import { clientOf } from '../../support/client.ts';
import { asOwner, dropDatabase, freshDatabase } from '../../support/database.ts';
import { type KmsStandIn, startKmsStandIn } from '../../support/kms-stand-in.ts';
import { startTestPlatform } from '../../support/platform.ts';
import { programEnv } from '../../support/program-env.ts';
import { seedPartner } from '../../support/seed.ts';
import { launchServer, type ServerProcess, startServerProcess } from '../../support/server-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'platform-kms-'));
const newKey = (): string => randomBytes(32).toString('base64');
const oldKey = newKey();
/** What the platform had before it was given a key management service. */
const plain = {
  VAULT_KEYS: `old:${oldKey}`,
  FINGERPRINT_KEY: newKey(),
  AUDIT_KEYS: `audit:${newKey()}`,
  IDP_SECRET: newKey(),
};
const credentials = { AWS_ACCESS_KEY_ID: 'AK-TEST', AWS_SECRET_ACCESS_KEY: 'not-a-secret-of-anyone' };

let kms: KmsStandIn;
let keyId: string;
let databaseUrl: string;
let subKey: string;
let charge: Record<string, unknown>;
const servers: ServerProcess[] = [];

beforeAll(async () => {
  kms = await startKmsStandIn();
  keyId = kms.createKey();
  databaseUrl = await freshDatabase();
  const before = await startTestPlatform({ env: plain, databaseUrl });
  const partner = await seedPartner(before);
  const account = await partner.account();
  const { id: paymentInstrumentId } = await account.instrument();
  await account.api.ok('/webhooks', { url: 'https://shop.example.com/hook', eventTypes: ['payment/succeeded'] });
  charge = { paymentInstrumentId, storeId: account.storeId, amount: 2500, currency: 'USD' };
  subKey = account.subKey;
  await before.close();
  await run('keys', ['wrap', join(folder, 'first'), '--kms-key', keyId], plain);
});

afterAll(async () => {
  for (const server of servers) await server.kill();
  await kms.close();
  await dropDatabase(databaseUrl);
  rmSync(folder, { recursive: true, force: true });
});

const settingsOf = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(folder, directory))
      .filter((name) => name.toUpperCase() in plain)
      .map((name) => [`${name.toUpperCase()}_FILE`, join(folder, directory, name)]),
  );
const wrapped = (directory = 'first', key = keyId): Record<string, string> => ({
  ...settingsOf(directory),
  ...credentials,
  VAULT_KMS_KEY_ID: key,
  VAULT_KMS_ENDPOINT: kms.url,
});

/** A command as an operator runs it. */
function run(command: string, args: readonly string[], env: Record<string, string>) {
  const urls = databaseUrl && { DATABASE_URL: asServerRole(databaseUrl), MIGRATION_DATABASE_URL: databaseUrl };
  return promisify(execFile)(process.execPath, [join(root, 'src', 'cli', 'platform.ts'), command, ...args], {
    cwd: root,
    env: {
      ...programEnv,
      NODE_ENV: 'test',
      VAULT_KMS_ENDPOINT: kms.url,
      ...credentials,
      ...urls,
      ...env,
    },
  });
}

async function serve(env: Record<string, string>): Promise<ServerProcess> {
  const server = await startServerProcess({ DATABASE_URL: databaseUrl, ...env });
  servers.push(server);
  return server;
}

const pay = (server: ServerProcess) => clientOf(server, subKey).call('/payments/process', charge);

describe('with VAULT_KMS_KEY_ID', { timeout: 300_000 }, () => {
  test('a server asks KMS once for each key, at start only; an outage of KMS after it harms nothing', async () => {
    const requested = kms.calls.length;
    const server = await serve(wrapped());
    const atStart = kms.calls.slice(requested);
    expect(atStart.map(({ target, setting, keyId: key }) => [target, setting, key])).toEqual(
      Object.keys(plain).map((name) => ['TrentService.Decrypt', name, keyId]),
    );
    kms.fail('hang');
    try {
      for (let charges = 0; charges < 3; charges += 1)
        expect(await pay(server)).toMatchObject({ status: 200, body: { payment: { status: 'succeeded' } } });
      const card = { cardNumber: '4242424242424242', expMonth: 12, expYear: 2030, cvc: '123' };
      expect((await clientOf(server, subKey).call('/payment-instruments/tokenize', card)).status).toBe(200);
    } finally {
      kms.fail(null);
    }
    expect(kms.calls).toHaveLength(requested + 4);
    // The keys are in no environment: neither as they are nor in a file.
    const environment = readFileSync(`/proc/${server.process.pid}/environ`, 'utf8');
    for (const key of Object.values(plain)) expect(environment).not.toContain(key.replace(/^\w+:/, ''));
    await server.stop();
    expect(server.output()).not.toContain(oldKey);
  });

  test('workers that replace killed ones serve while KMS is away', async () => {
    const server = await serve({ ...wrapped(), WORKERS: '2' });
    const { pid } = server.process;
    kms.fail({ status: 500, type: 'KMSInternalException' });
    try {
      const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
      expect(workers).toHaveLength(2);
      for (const worker of workers) process.kill(worker, 'SIGKILL');
      // A connection that was handed to a worker as it was killed has no answer.
      const ready = () => fetch(`${server.url}/health/ready`, { signal: AbortSignal.timeout(2_000) });
      await expect.poll(async () => (await ready().catch(() => null))?.status, { timeout: 90_000 }).toBe(200);
      expect(await pay(server)).toMatchObject({ status: 200, body: { payment: { status: 'succeeded' } } });
    } finally {
      kms.fail(null);
      await server.stop();
    }
  });

  test('a throttled request is repeated', async () => {
    kms.fail({ status: 400, type: 'ThrottlingException', times: 1 });
    await run('keys', ['check'], wrapped());
    kms.fail(null);
  });
});

describe('a start ends with 1 and one sentence without a secret', { timeout: 300_000 }, () => {
  const failureOf = async (env: Record<string, string>): Promise<string> => {
    const server = launchServer({ DATABASE_URL: databaseUrl, PORT: '4999', ...env });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    for (const key of [...Object.values(plain), credentials.AWS_SECRET_ACCESS_KEY])
      expect(server.output()).not.toContain(key);
    return server.output();
  };
  const sentence = (reason: string, setting = 'VAULT_KEYS', key = keyId): string =>
    `KMS did not unwrap ${setting} with the key ${key}: ${reason}.\n`;

  test.each([
    ['throttled', 'ThrottlingException', 'it is asked too often (throttled); try again'],
    [
      'access denied',
      'AccessDeniedException',
      'the credentials may not use the key; allow them kms:Decrypt, and kms:Encrypt for commands',
    ],
    [
      'deletion is pending',
      'KMSInvalidStateException',
      'the key is in a state in which it cannot be used, such as waiting for its deletion',
    ],
    ['expired credentials', 'ExpiredTokenException', 'the credentials of AWS have expired; renew them'],
    ['unknown', 'SomethingNewException', 'it answered SomethingNewException; try again'],
  ])('%s', async (_title, type, reason) => {
    kms.fail({ status: 400, type });
    try {
      expect(await failureOf(wrapped())).toBe(sentence(reason));
    } finally {
      kms.fail(null);
    }
  });

  test('a disabled key, and one that KMS does not have', async () => {
    const disabled = kms.createKey();
    kms.disable(disabled);
    expect(await failureOf(wrapped('first', disabled))).toBe(
      sentence('the key is disabled; enable it', 'VAULT_KEYS', disabled),
    );
    const unknown = 'alias/none';
    expect(await failureOf({ ...wrapped('first', unknown), VAULT_KMS_REGION: 'eu-west-1' })).toBe(
      sentence(
        'there is no such key in this region; correct VAULT_KMS_KEY_ID or VAULT_KMS_REGION',
        'VAULT_KEYS',
        unknown,
      ),
    );
  });

  test('no answer in time; nothing listens; credentials of another', async () => {
    kms.fail('hang');
    expect(await failureOf({ ...wrapped(), VAULT_KMS_TIMEOUT_MS: '300' })).toBe(
      sentence('it did not answer within 300 ms'),
    );
    kms.fail(null);
    expect(await failureOf({ ...wrapped(), VAULT_KMS_ENDPOINT: 'http://127.0.0.1:9' })).toBe(
      sentence('nothing listens at its address; correct VAULT_KMS_ENDPOINT'),
    );
    expect(await failureOf({ ...wrapped(), AWS_ACCESS_KEY_ID: 'AK-OTHER' })).toBe(
      sentence('the credentials of AWS are not valid there; correct them'),
    );
  });

  test('a key of another region, before KMS is asked', async () => {
    const requested = kms.calls.length;
    expect(await failureOf({ ...wrapped(), VAULT_KMS_REGION: 'us-east-1' })).toBe(
      'VAULT_KMS_KEY_ID is a key of eu-west-1, and VAULT_KMS_REGION is us-east-1; a key is used in its own region.\n',
    );
    expect(kms.calls).toHaveLength(requested);
  });

  test('wrapped with another key, for another setting, altered', async () => {
    const other = kms.createKey();
    expect(await failureOf(wrapped('first', other))).toBe(
      sentence('it was wrapped with another key; set VAULT_KMS_KEY_ID to that key', 'VAULT_KEYS', other),
    );
    const unreadable = 'it was altered, or wrapped for another setting; put a copy of it back';
    const files = wrapped();
    expect(await failureOf({ ...files, VAULT_KEYS_FILE: files['AUDIT_KEYS_FILE'] ?? '' })).toBe(sentence(unreadable));
    const { FINGERPRINT_KEY_FILE: file = '', ...others } = files;
    const bytes = Buffer.from(readFileSync(file, 'utf8').trim().slice(4), 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(await failureOf({ ...others, FINGERPRINT_KEY: `kms:${bytes.toString('base64')}` })).toBe(
      sentence(unreadable, 'FINGERPRINT_KEY'),
    );
  });

  test('a key in clear beside KMS, a wrapped one without it, a missing one, and another wrong setting: all at once', async () => {
    const { VAULT_KEYS_FILE: _file, AUDIT_KEYS_FILE: _audit, IDP_SECRET_FILE: _idp, ...others } = wrapped();
    expect(
      (await failureOf({ ...others, VAULT_KEYS: plain.VAULT_KEYS, LOG_FORMAT: 'xml' })).trim().split('\n'),
    ).toEqual([
      'LOG_FORMAT is "xml"; it must be one of json, pretty.',
      'VAULT_KEYS is not wrapped, and VAULT_KMS_KEY_ID is set; wrap it with `platform keys wrap`.',
      'IDP_SECRET is missing; it must be 32 bytes in base64, as `openssl rand -base64 32` prints them.',
    ]);
    expect(await failureOf(settingsOf('first'))).toMatch(/^VAULT_KEYS is wrapped \(kms:…\); set VAULT_KMS_KEY_ID to /);
  });
});

describe('platform keys wrap', { timeout: 300_000 }, () => {
  test('writes files for their owner only, with no key in clear, and changes none that exists', async () => {
    for (const name of readdirSync(join(folder, 'first'))) {
      const file = join(folder, 'first', name);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8')).toMatch(/^kms:[A-Za-z0-9+/]+=*\n$/);
    }
    await expect(run('keys', ['wrap', join(folder, 'first')], wrapped())).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has the file vault_keys already; name a new directory'),
    });
  });

  test('rotates: a new key of the ring is added, comes first, rewraps all, and the old one is dropped', async () => {
    expect((await run('keys', ['wrap', join(folder, 'added'), '--add', 'new'], wrapped())).stdout).toMatch(
      /has old, new; /,
    );
    await run('keys', ['wrap', join(folder, 'moved'), '--first', 'new', '--add-audit-key', 'next'], wrapped('added'));
    await run('keys', ['add'], wrapped('moved'));
    await expect(run('keys', ['check'], wrapped('moved'))).rejects.toMatchObject({ code: 1 });
    expect((await run('keys', ['rotate'], wrapped('moved'))).stdout).toMatch(/old: 0 stored secrets; can be removed/);
    await run('keys', ['wrap', join(folder, 'dropped'), '--drop', 'old'], wrapped('moved'));
    await run('keys', ['check'], wrapped('dropped'));
    const server = await serve(wrapped('dropped'));
    expect((await pay(server)).body).toMatchObject({ payment: { status: 'succeeded' } });
    await server.stop();
    await run('verify', ['audit'], wrapped('dropped'));
  });

  test('wraps the same keys under another key of KMS, and no row of the vault changes', async () => {
    const rows = async () =>
      (await asOwner({ databaseUrl }, 'SELECT md5(string_agg(c::text, chr(10) ORDER BY id)) AS sum FROM vault.cards c'))
        .rows;
    const before = await rows();
    const second = kms.createKey();
    await run('keys', ['wrap', join(folder, 'second'), '--kms-key', second], wrapped('dropped'));
    kms.disable(keyId);
    const server = await serve(wrapped('second', second));
    expect((await pay(server)).body).toMatchObject({ payment: { status: 'succeeded' } });
    await server.stop();
    expect(await rows()).toEqual(before);
  });

  test.each([
    ['an id that the ring has', ['--add', 'new'], 'The ring has a key "new" already.'],
    ['an id that no ring may have', ['--add', 'a b'], 'Entry 2 of the key ring must have an id of 1 to 32 letters'],
    ['an unknown id', ['--first', 'none'], 'The ring has no key "none".'],
    ['the key that encrypts', ['--drop', 'old'], 'The key "old" is the first one, which encrypts; move another.'],
    ['no key of KMS', [], 'Name the key of KMS: --kms-key, or the setting VAULT_KMS_KEY_ID.'],
  ])('refuses %s and writes nothing', async (_title, args, sentence) => {
    const directory = join(folder, 'refused');
    const keys = { ...plain, VAULT_KEYS: args[1] === 'new' ? `${plain.VAULT_KEYS},new:${newKey()}` : plain.VAULT_KEYS };
    const target = args.length > 0 ? ['--kms-key', kms.createKey()] : [];
    await expect(run('keys', ['wrap', directory, ...args, ...target], keys)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(sentence),
    });
    expect(readdirSync(folder)).not.toContain('refused');
  });
});

describe('platform secrets', { timeout: 300_000 }, () => {
  test('makes wrapped keys with VAULT_KMS_KEY_ID, and nothing when KMS refuses', async () => {
    const env = { VAULT_KMS_KEY_ID: kms.createKey() };
    const directory = join(folder, 'made');
    kms.fail({ status: 400, type: 'AccessDeniedException' });
    await expect(run('secrets', [directory], env)).rejects.toMatchObject({
      stderr: expect.stringContaining('KMS did not wrap VAULT_KEYS'),
    });
    expect(readdirSync(folder)).not.toContain('made');
    kms.fail(null);
    await run('secrets', [directory], env);
    for (const name of ['vault_keys', 'fingerprint_key', 'audit_keys', 'idp_secret'])
      expect(readFileSync(join(directory, name), 'utf8')).toMatch(/^kms:/);
    expect(readFileSync(join(directory, 'database_url'), 'utf8')).toMatch(/^postgresql:/);
  });
});
