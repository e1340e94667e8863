// guards: src/keys src/operating src/settings src/cli src/database
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asServerRole } from '../../../src/local/postgres-programs.ts';
import { dropDatabase, freshDatabase } from '../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { programEnv } from '../../support/program-env.ts';
import { seedPartner } from '../../support/seed.ts';
import { launchServer, type ServerProcess, startServerProcess } from '../../support/server-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const newKey = (): string => randomBytes(32).toString('base64');
const [old, next, audit] = [newKey(), newKey(), newKey()];
const keys = {
  VAULT_KEYS: `old:${old}`,
  AUDIT_KEYS: `audit:${newKey()}`,
  FINGERPRINT_KEY: newKey(),
  IDP_SECRET: newKey(),
};

let databaseUrl: string;
let server: ServerProcess;

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  await start({}, async (platform) => void (await (await (await seedPartner(platform)).account()).instrument()));
  server = await startServerProcess({ ...keys, DATABASE_URL: databaseUrl });
});
afterAll(async () => {
  await server.kill();
  await dropDatabase(databaseUrl);
});

/** A server in this process. */
async function start(env: Record<string, string>, use?: (platform: TestPlatform) => Promise<void>): Promise<void> {
  const platform = await startTestPlatform({ databaseUrl, env: { ...keys, ...env }, vault: 'within' });
  try {
    await use?.(platform);
  } finally {
    await platform.close();
  }
}

/** A command with the rights of a server. */
async function run(env: Record<string, string>, command: string, ...args: string[]): Promise<string> {
  const settings = { ...programEnv, NODE_ENV: 'test', ...keys, DATABASE_URL: asServerRole(databaseUrl) };
  const file = join(root, 'src', 'cli', 'platform.ts');
  return (await promisify(execFile)(process.execPath, [file, command, ...args], { env: { ...settings, ...env } }))
    .stdout;
}

/** A second server, with its role alone, that is refused. */
async function refused(env: Record<string, string>): Promise<string> {
  const second = launchServer({
    ...keys,
    ...env,
    PORT: '1',
    DATABASE_URL: asServerRole(databaseUrl),
    MIGRATION_DATABASE_URL: '',
  });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  return second.output();
}

test('beside a running server one with other keys is refused, and commands that would write with them', {
  timeout: 300_000,
}, async () => {
  const wrong = { VAULT_KEYS: `own:${newKey()}`, AUDIT_KEYS: `audit:${newKey()}` };
  const sentence =
    /^The first key of VAULT_KEYS, "own", is not known to this installation, which uses "old"\..*\nThe key "audit" of AUDIT_KEYS is not the key.*\nVAULT_KEYS lacks the key "old"/;
  expect(await refused(wrong)).toMatch(sentence);
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  const sentences = { code: 1, stderr: expect.stringMatching(sentence) };
  const partner = ['partner-key', 'corner', '--mode', 'test', '--create', 'Corner'] as const;
  await expect(run(wrong, ...partner)).rejects.toMatchObject(sentences);
  await expect(run(wrong, 'keys', 'rotate')).rejects.toMatchObject(sentences);
});

test('a rotation: a new first key is refused, added, starts, rewraps all, and is then the only one', {
  timeout: 300_000,
}, async () => {
  const rotated = { VAULT_KEYS: `next:${next},old:${old}`, AUDIT_KEYS: `new:${audit},${keys.AUDIT_KEYS}` };
  await expect(start(rotated)).rejects.toThrow(
    /^The first key of VAULT_KEYS, "next".*\nThe first key of AUDIT_KEYS, "new"/,
  );
  expect(await run(rotated, 'keys', 'add')).toMatch(
    /^VAULT_KEYS next: recorded; .*\nVAULT_KEYS old: encrypts .*\n(.*\n)+AUDIT_KEYS audit: .*\nAUDIT_KEYS new: recorded/,
  );
  // A server that is restarted before its settings have the key goes on with the one of before.
  await start({});
  await start(rotated);
  expect(await run(rotated, 'keys', 'rotate')).toContain('old: 0 stored secrets; can be removed');
  await expect(start({})).rejects.toThrow(/"old", which was replaced by "next"/);
  const rest = { ...rotated, VAULT_KEYS: `next:${next}` };
  await start(rest);
  // What another server would encrypt with the old key, this one could not read.
  await expect(start({ ...rest, VAULT_KEYS: `old:${old},next:${next}` })).rejects.toThrow(/"old", which was replaced/);
});

test('a key is retired only if the settings do not have it, and with --lost if something stored may need it', {
  timeout: 300_000,
}, async () => {
  const now = { VAULT_KEYS: `next:${next}`, AUDIT_KEYS: `new:${audit},${keys.AUDIT_KEYS}` };
  const other = { ...now, IDP_SECRET: newKey() };
  await expect(start(other)).rejects.toThrow(/^IDP_SECRET is not the key/);
  const refusal = (text: string) => ({ code: 1, stderr: expect.stringContaining(text) });
  await expect(run(now, 'keys', 'retire', 'IDP_SECRET', '--lost')).rejects.toMatchObject(refusal('The settings have'));
  await expect(run(other, 'keys', 'retire', 'IDP_SECRET')).rejects.toMatchObject(refusal('Something stored may need'));
  await expect(run(other, 'keys', 'retire', 'VAULT_KEYS:no')).rejects.toMatchObject(refusal('knows no key VAULT_KEYS'));
  await run(other, 'keys', 'retire', 'IDP_SECRET', '--lost');
  await start(other);
  expect(await run(other, 'keys', 'retire', 'VAULT_KEYS:old')).toBe(
    'VAULT_KEYS:old is retired: servers start without it.\n',
  );
});
