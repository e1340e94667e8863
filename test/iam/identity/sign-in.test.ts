import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { clientOf } from '../../support/client.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { type People, peopleOf } from './people.ts';

const platform = await usePlatform();
const people: People = peopleOf(platform);

const meQuery = '{ me { kind userId email platformRoles whitelabelOwnership keyId } }';
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${platform.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const me = (headers: Record<string, string>) => clientOf(platform).graphql(meQuery, {}, headers);
/** The IAM surface answers 401 before it resolves the path. */
const iam = async (headers: Record<string, string>) => (await post('/api/v1/iam/nowhere', {}, headers)).status;

/** Texts that the database cannot store, or that are no percent-encoding. */
const unstorable = ['%00', 'x%00y', '%E0%A4%A', '%', '%C3%28'];

test.each(
  unstorable,
)('a caller without an account gets no 500, also with %s in any field, link or cookie', async (text) => {
  const decoded = text.replaceAll('%00', '\0');
  const email = `${decoded}@example.com`;
  const password = 'correct horse battery';
  const code = decoded.padEnd(6, '1');
  const cookies = ['two_factor', 'session_token', 'trust_device']
    .map((name) => `platform.${name}=${text}.x`)
    .join('; ');
  const requested = [
    post('/idp/sign-in/email', { email, password }),
    post('/idp/forgot-password', { email }),
    post('/idp/reset-password', { token: decoded, password }),
    post('/idp/accept', { ticket: decoded, password }),
    post('/idp/sign-in/code', { code }, { Cookie: cookies }),
    post('/idp/sign-out', {}, { Cookie: cookies }),
    post('/idp/account/password', { password: decoded, newPassword: password }, { Cookie: cookies }),
    post('/idp/account/sessions/end', { sessionId: decoded }, { Cookie: cookies }),
    post('/idp/sign-in/code', { code: '123456' }, { Cookie: cookies }),
    ...['reset-password?token=', 'accept?ticket=', 'sign-in?redirect=/idp/accept?ticket='].map((path) =>
      fetch(`${platform.url}/idp/${path}${text}`, { redirect: 'manual' }),
    ),
    fetch(`${platform.url}/idp/token`, { headers: { Cookie: cookies } }),
  ];
  const statuses = (await Promise.all(requested)).map(({ url, status }) => [new URL(url).pathname, status] as const);
  expect(statuses.filter(([, status]) => status >= 500)).toEqual([]);
});

describe('signing in', () => {
  test('200 with a cookie, and with the token it returns, after signing in', async () => {
    const person = await people.create({ platformRoles: ['superadmin'] });
    const { cookie, setCookie } = await people.signIn(person);
    expect(setCookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    const expected = {
      me: {
        kind: 'session',
        userId: person.id,
        email: person.email,
        platformRoles: ['superadmin'],
        whitelabelOwnership: null,
        keyId: null,
      },
    };
    expect((await me({ Cookie: cookie })).data).toEqual(expected);
    expect((await me({ Authorization: `bearer ${await people.token(cookie)}` })).data).toEqual(expected);
  });

  test('a token is valid for 60 s, and its sub is the id of the person', async () => {
    const person = await people.create();
    const { sub, iat = 0, exp } = decodeJwt(await people.token((await people.signIn(person)).cookie));
    expect({ sub, exp }).toEqual({ sub: person.id, exp: iat + 60 });
  });

  test('401 for a wrong password, an unknown email and a banned person, with the same body', async () => {
    const person = await people.create();
    const banned = await people.create();
    await platform.idp.setBanned(banned.id, true);
    const tried = [
      { email: person.email, password: 'wrong wrong wrong' },
      { email: 'unknown@example.com', password: person.password },
      banned,
    ];
    for (const { email, password } of tried) {
      const answer = await post('/idp/sign-in/email', { email, password });
      expect({ status: answer.status, body: await answer.json() }).toEqual({
        status: 401,
        body: { code: 'NOT_AUTHORIZED', message: 'Email or password is wrong.', data: {} },
      });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test('400 without email or password, 415 without JSON', async () => {
    expect((await post('/idp/sign-in/email', { email: 'a@example.com' })).status).toBe(400);
    expect((await post('/idp/sign-in/email', {})).status).toBe(400);
    expect(
      (await post('/idp/sign-in/email', { email: 'a@example.com', password: 'x' }, { 'Content-Type': 'text/plain' }))
        .status,
    ).toBe(415);
  });

  test('403 from a page of another site', async () => {
    const person = await people.create();
    const answer = await post('/idp/sign-in/email', person, { Origin: 'https://evil.example.com' });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 403,
      body: { data: { reason: 'origin_not_allowed' } },
    });
  });

  test('a sign-in link redirects to a path of this server only', async () => {
    const then = async (redirect: string) =>
      /data-then="([^"]*)"/.exec(
        await (await fetch(`${platform.url}/idp/sign-in?redirect=${encodeURIComponent(redirect)}`)).text(),
      )?.[1];
    expect(await then('/join?from=mail')).toBe('/join?from=mail');
    for (const elsewhere of [
      'https://evil.example.com/',
      '//evil.example.com/',
      '/\\evil.example.com/',
      '/.//evil.example.com/',
      '/a/..//evil.example.com/',
      'evil',
      '',
    ])
      expect(await then(elsewhere), elsewhere).toBe('../console/');
  });

  test('every page of the provider has a title, and signing in returns to where it started', async () => {
    const titleOf = async (path: string) =>
      /<title>(.*) · Partner Payments<\/title>/.exec(await (await fetch(platform.url + path)).text())?.[1];
    expect([await titleOf('/idp/sign-in'), await titleOf('/idp/accept?ticket=none'), await titleOf('/join')]).toEqual([
      'Sign in',
      'Invitation expired',
      'Sign in to continue',
    ]);
    expect(await (await fetch(`${platform.url}/join`)).text()).toContain(
      '<a class="button" href="idp/sign-in" data-with-return>Sign in</a>',
    );
  });

  test('there is no sign-up', async () => {
    expect(
      (await post('/idp/sign-up/email', { email: 'new@example.com', password: 'correct horse battery', name: 'New' }))
        .status,
    ).toBe(404);
  });
});

describe('a session', () => {
  test('401 on the public surface, by cookie and by token', async () => {
    const { cookie } = await people.signIn(await people.create({ platformRoles: ['superadmin'] }));
    const credentials: Record<string, string>[] = [
      { Cookie: cookie },
      { Authorization: `Bearer ${await people.token(cookie)}` },
    ];
    for (const headers of credentials)
      expect((await clientOf(platform).call('/auth/test', undefined, { headers })).status).toBe(401);
  });

  test('401 for an API key on IAM, even with a valid cookie', async () => {
    const { cookie } = await people.signIn(await people.create({ platformRoles: ['superadmin'] }));
    const { partnerKey } = await seedPartner(platform);
    expect(await iam({ Cookie: cookie })).toBe(404);
    expect(await iam({ Authorization: `Bearer ${partnerKey}` })).toBe(401);
    expect(await iam({ Authorization: `Bearer ${partnerKey}`, Cookie: cookie })).toBe(401);
    expect(await iam({ Authorization: 'Basic x', Cookie: cookie })).toBe(401);
    expect(await iam({})).toBe(401);
    expect((await clientOf(platform, partnerKey).graphql(meQuery)).data.me).toMatchObject({
      kind: 'partnerKey',
      userId: null,
    });
    expect((await me({})).errors[0].extensions.code).toBe('NOT_AUTHORIZED');
  });

  test('403 by cookie from a foreign Origin, on IAM and GraphQL; a token needs no Origin', async () => {
    const { cookie } = await people.signIn(await people.create({ platformRoles: ['superadmin'] }));
    const token = await people.token(cookie);
    for (const Origin of ['https://evil.example.com', 'null']) {
      expect(await iam({ Cookie: cookie, Origin })).toBe(403);
      expect((await me({ Cookie: cookie, Origin })).errors[0].extensions).toMatchObject({
        code: 'FORBIDDEN',
        data: { reason: 'origin_not_allowed' },
      });
      expect(await iam({ Authorization: `Bearer ${token}`, Origin })).toBe(404);
    }
    expect(await iam({ Cookie: cookie, Origin: platform.url })).toBe(404);
    expect((await me({ Cookie: cookie, 'Content-Type': 'text/plain' })).errors[0].extensions.code).toBe(
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  test('405 for a mutation by GET with any Accept header, without an effect', async () => {
    const { cookie } = await people.signIn(await people.create({ platformRoles: ['superadmin'] }));
    const query = 'mutation { createPartner(input: {name: "By GET", slug: "by-get"}) { partner { id } } }';
    for (const Accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
      const answer = await fetch(`${platform.url}/graphql?query=${encodeURIComponent(query)}`, {
        headers: { Cookie: cookie, Accept },
      });
      expect([answer.status, answer.headers.get('allow'), (await answer.json()).errors[0].extensions.code]).toEqual([
        405,
        'POST',
        'METHOD_NOT_ALLOWED',
      ]);
    }
    expect(await platform.services.prisma.partner.count({ where: { slug: 'by-get' } })).toBe(0);
  });

  test('401 immediately after signing out, though the token has not expired', async () => {
    const { cookie } = await people.signIn(await people.create());
    const token = await people.token(cookie);
    expect(await iam({ Authorization: `Bearer ${token}` })).toBe(404);
    const signOut = (headers: Record<string, string>) =>
      fetch(`${platform.url}/idp/sign-out`, { method: 'POST', headers: { Cookie: cookie, ...headers } });
    expect((await signOut({ Origin: 'https://evil.example.com' })).status).toBe(403);
    expect(await iam({ Cookie: cookie })).toBe(404);
    const out = await signOut({});
    expect(out.headers.getSetCookie()[0]).toContain('Max-Age=0');
    expect(await iam({ Authorization: `Bearer ${token}` })).toBe(401);
    expect(await iam({ Cookie: cookie })).toBe(401);
    expect((await fetch(`${platform.url}/idp/token`, { headers: { Cookie: cookie } })).status).toBe(401);
  });

  test('401 within a second after the provider ended it', async () => {
    const person = await people.create();
    const token = await people.token((await people.signIn(person)).cookie);
    expect(await platform.idp.revokeSessions(person.id)).toBe(1);
    const startedAt = performance.now();
    while ((await iam({ Authorization: `Bearer ${token}` })) !== 401)
      expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test('a revoked role stops working immediately, regardless of the roles in the token', async () => {
    const person = await people.create({ platformRoles: ['superadmin'] });
    const token = await people.token((await people.signIn(person)).cookie);
    await platform.idp.setAccess(person.id, { platformRoles: [], whitelabelOwnership: null });
    await platform.idp.flush();
    expect((await me({ Authorization: `Bearer ${token}` })).data.me).toMatchObject({ platformRoles: [] });
  });

  test('publishes the public keys of its tokens only', async () => {
    const { keys } = (await (await fetch(`${platform.url}/idp/jwks`)).json()) as { keys: Record<string, unknown>[] };
    expect(keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256' });
    expect(Object.keys(keys[0] ?? {})).not.toContain('d');
  });
});

test('no password, cookie, token or ticket is in the log', () => {
  expect(platform.logged.join('\n')).not.toMatch(/correct horse|session_token|eyJ[\w-]+\.|wrong wrong/);
});
