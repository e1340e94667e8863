import { decodeJwt } from 'jose';
import type pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { createEngine } from '../../../src/adapters/embedded-idp/engine.ts';
import { openPool } from '../../../src/database/pool.ts';
import { clientOf } from '../../support/client.ts';
import { embeddedSecret, usePlatform } from '../../support/platform.ts';
import { type People, peopleOf } from './people.ts';

const platform = await usePlatform();
const people: People = peopleOf(platform);
const pool: pg.Pool = openPool({ connectionString: platform.databaseUrl, max: 1, options: '-c search_path=idp' });
afterAll(async () => {
  await pool.end();
});

/** A token signed by the provider with changed claims: the embedded provider has no impersonation. */
async function tokenWith(claims: object): Promise<string> {
  const { publicUrl, allowedOrigins, identity } = platform.services.config;
  const engine = createEngine({
    pool,
    publicUrl,
    allowedOrigins,
    secret: embeddedSecret(identity),
    log: platform.services.log,
  });
  const { cookie } = await people.signIn(await people.create({ platformRoles: ['superadmin'] }));
  const { token } = await engine.api.signJWT({
    body: { payload: { ...decodeJwt(await people.token(cookie)), ...claims } },
  });
  return token;
}

const iam = async (token: string, path: string, body: object) => {
  const response = await fetch(`${platform.url}/api/v1/iam${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.text() };
};

test('200 for queries of an impersonated session, 403 for its mutations, over REST and GraphQL', async () => {
  const token = await tokenWith({ act: { sub: 'user_support' } });
  const create = { name: 'Acme', slug: 'acme' };
  expect((await iam(token, '/partners-admin/list', {})).status).toBe(200);
  expect(await iam(token, '/partners-admin/create', create)).toMatchObject({
    status: 403,
    body: expect.stringContaining('impersonated_session'),
  });
  const graph = clientOf(platform, token);
  expect((await graph.graphql('{ me { impersonatorId } }')).data).toEqual({ me: { impersonatorId: 'user_support' } });
  const refused = await graph.graphql(
    'mutation($input: CreatePartnerInput!) { createPartner(input: $input) { partner { id } } }',
    { input: create },
  );
  expect(refused.errors[0].extensions.data.reason).toBe('impersonated_session');
  expect(await platform.services.prisma.partner.count()).toBe(0);
  const join = await fetch(`${platform.url}/join`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: '{"partnerSlug": "acme"}',
  });
  expect(join.status).toBe(403);
  expect(
    await platform.services.prisma.auditRow.findMany({
      where: { outcome: 'denied' },
      orderBy: { sequence: 'asc' },
      select: { action: true, reason: true },
    }),
  ).toEqual(
    ['createPartner', 'createPartner', 'acceptInvitation'].map((action) => ({
      action,
      reason: 'impersonated_session',
    })),
  );
});

test('401 for tokens the provider has signed for another purpose', async () => {
  for (const claims of [
    { sid: 'other' },
    { sts: 'pending' },
    { azp: 'https://evil.example.com' },
    { iss: 'https://evil.example.com' },
    { aud: 'other' },
    { sub: 'mch_1' },
  ]) {
    expect((await iam(await tokenWith(claims), '/partners-admin/list', {})).status).toBe(401);
  }
  expect((await iam(await tokenWith({}), '/partners-admin/list', {})).status).toBe(200);
});
