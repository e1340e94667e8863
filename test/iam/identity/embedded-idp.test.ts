import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openEmbeddedIdp } from '../../../src/adapters/embedded-idp/embedded-idp.ts';
import { makeTables } from '../../../src/adapters/embedded-idp/tables.ts';
import { openPool } from '../../../src/database/pool.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLog } from '../../../src/observability/log.ts';
import type { IdpEvent } from '../../../src/ports/identity-provider.ts';
import { dropDatabase, emptyDatabase } from '../../support/database.ts';
import { identityProviderSuite } from './port-suite.ts';

const password = 'correct horse battery';

// On an empty database: the provider needs no tables of the platform.
identityProviderSuite('embedded', async () => {
  const databaseUrl = await emptyDatabase();
  const events: IdpEvent[] = [];
  const publicUrl = 'http://localhost:4000';
  const settings = {
    publicUrl,
    allowedOrigins: [publicUrl],
    secret: randomBytes(32).toString('base64'),
    log: createLog({ level: 'silent' }),
    clock: systemClock,
  };
  await makeTables(databaseUrl, settings);
  const idp = await openEmbeddedIdp({
    ...settings,
    databaseUrl,
    deliver: async (message) => void events.push(await idp.parseWebhook(message)),
  });
  return {
    idp,
    createUser: (email) => idp.createUser({ email, password }),
    createOrganization: (name) => idp.createOrganization({ name }),
    addMember: idp.addMember,
    async openSession(email) {
      const signedIn = await idp.signIn(email, password, { ip: '', userAgent: 'test' });
      const cookie = signedIn?.setCookies[0]?.split(';')[0] ?? '';
      const bearer = (await idp.tokenOf(cookie)) ?? '';
      return { cookie, bearer, sessionId: String(decodeJwt(bearer)['sid']) };
    },
    async received() {
      await idp.flush();
      return events;
    },
    async close() {
      await idp.close();
      await dropDatabase(databaseUrl);
    },
  };
});

test('a webhook that was not accepted is sent again under its id, also to the next process', async () => {
  const databaseUrl = await emptyDatabase();
  const publicUrl = 'http://localhost:4000';
  const options = {
    databaseUrl,
    publicUrl,
    allowedOrigins: [publicUrl],
    secret: randomBytes(32).toString('base64'),
    log: createLog({ level: 'silent' }),
    clock: systemClock,
  };
  await makeTables(databaseUrl, options);
  const refused: string[] = [];
  const first = await openEmbeddedIdp({
    ...options,
    deliver: (message) => {
      refused.push(message.headers['svix-id'] ?? '');
      return Promise.reject(new Error('The platform is down.'));
    },
  });
  const { id } = await first.createUser({ email: 'a@example.com', password });
  await first.flush();
  await first.close();
  const taken: IdpEvent[] = [];
  const second = await openEmbeddedIdp({
    ...options,
    deliver: async (message) => void taken.push(await second.parseWebhook(message)),
  });
  await expect.poll(() => taken).toMatchObject([{ id: refused[0], type: 'user.upserted', user: { id } }]);
  await second.flush();
  expect(taken).toHaveLength(1);
  await second.close();
  await dropDatabase(databaseUrl);
});

test('tables that another version made are completed, and those of this version are left alone', async () => {
  const databaseUrl = await emptyDatabase();
  const publicUrl = 'http://localhost:4000';
  const settings = { publicUrl, allowedOrigins: [], secret: 'secret', log: createLog({ level: 'silent' }) };
  await makeTables(databaseUrl, settings);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const madeAfter = async (change: string): Promise<boolean> => {
    await client.query(change);
    await makeTables(databaseUrl, settings);
    const { rowCount } = await client.query(`SELECT FROM pg_class WHERE relname = 'outbox_due'`);
    return rowCount === 1;
  };
  expect(await madeAfter('DROP INDEX idp.outbox_due')).toBe(false);
  expect(await madeAfter(`COMMENT ON SCHEMA idp IS 'tables of another version'`)).toBe(true);
  await client.end();
  await dropDatabase(databaseUrl);
});

test('a session cookie counts only whole, as it was signed, and until its session ends', async () => {
  const databaseUrl = await emptyDatabase();
  const publicUrl = 'https://localhost:4000';
  const settings = {
    publicUrl,
    allowedOrigins: [publicUrl],
    secret: randomBytes(32).toString('base64'),
    log: createLog({ level: 'silent' }),
    clock: systemClock,
  };
  await makeTables(databaseUrl, settings);
  const idp = await openEmbeddedIdp({ ...settings, databaseUrl, deliver: null });
  const pool = openPool({ connectionString: databaseUrl });
  try {
    await idp.createUser({ email: 'one@example.com', password });
    const cookieOfNext = async (): Promise<string> => {
      const signedIn = await idp.signIn('one@example.com', password, { ip: '', userAgent: 'test' });
      return signedIn?.setCookies[0]?.split(';')[0] ?? '';
    };
    const [cookie, other] = [await cookieOfNext(), await cookieOfNext()];
    expect(cookie).toMatch(/^__Host-platform\.session_token=/);
    const isOk = async (header: string) => (await idp.verifySession({ cookie: header })).ok;
    expect(await isOk(`theme=dark; ${cookie}; a=b`)).toBe(true);
    expect(await isOk(`${cookie}; ${other}`)).toBe(true);
    const [name = '', value = ''] = cookie.split('=');
    const [token = '', signature = ''] = value.split('.');
    const [, otherSignature = ''] = other.split('=')[1]?.split('.') ?? [];
    for (const forged of [
      `${name}=${token}`,
      `${name}=${token}.`,
      `${name}=${token}.${otherSignature}`,
      `${name}=${token}x.${signature}`,
      `${name}=${token}.${signature}x`,
      `${name}=${token}.${signature}.${signature}`,
      `${name}=%E0%A4%A.${signature}`,
      `x${cookie}`,
      cookie.replace('__Host-', ''),
      cookie.replace('__Host-', '__Secure-'),
    ])
      expect([forged, await isOk(forged)]).toEqual([forged, false]);
    await pool.query(`UPDATE idp.session SET "expiresAt" = now() - interval '1 second' WHERE token = $1`, [token]);
    expect(await isOk(cookie)).toBe(false);
    expect(await isOk(other)).toBe(true);
    await pool.query('DELETE FROM idp.session');
    expect(await isOk(other)).toBe(false);
  } finally {
    await pool.end();
    await idp.close();
    await dropDatabase(databaseUrl);
  }
});
