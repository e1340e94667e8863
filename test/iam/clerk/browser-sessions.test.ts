import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { ClerkRefusal } from '../../support/clerk-routes.ts';
import type { ClerkStandIn } from '../../support/clerk-stand-in.ts';
import { clientOf } from '../../support/client.ts';
import { type TestPlatform, usePlatform } from '../../support/platform.ts';
import { callIam, makePerson } from '../people.ts';

const platform = await usePlatform({ identityProvider: 'clerk' });
const clerk = clerkOf(platform);

function clerkOf({ clerk }: TestPlatform): ClerkStandIn {
  if (!clerk) throw new Error('The platform is to speak to Clerk.');
  return clerk;
}

/** A browser that follows redirects and keeps cookies, of the platform and of Clerk on one host. */
function createBrowser(from = platform) {
  const { url: platformUrl, services } = from;
  const { config } = services;
  const jar = new Map<string, string>();
  const cookie = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { Accept: 'text/html', Cookie: cookie(), ...(init.headers as Record<string, string>) };
    const response = await fetch(new URL(url.replace(config.publicUrl, platformUrl), platformUrl), {
      ...init,
      headers,
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  const visit = async (url: string): Promise<{ url: string; response: Response }> => {
    let at = new URL(url, platformUrl).href;
    for (let hops = 0; hops < 12; hops++) {
      const response = await send(at);
      const location = response.headers.get('location');
      if (location === null) return { url: at, response };
      at = new URL(location, at).href;
    }
    throw new Error(`The redirects do not end: ${at}`);
  };
  const signInAt = async (url: string, email: string): Promise<string> => {
    const response = await send(url, { method: 'POST', body: new URLSearchParams({ email }) });
    return response.headers.get('location') ?? '';
  };
  const expire = async (session: { id: string; userId: string }, claims: JWTPayload = {}): Promise<void> => {
    const token = await clerkOf(from).signToken(session, { azp: config.publicUrl, exp: 1_700_000_000, ...claims });
    for (const name of jar.keys()) if (/^(__Host-)?__session/.test(name)) jar.set(name, token);
  };
  const post = (path: string, body: object, headers = {}) =>
    send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    });
  const email = async (): Promise<string | null> => {
    const response = await post('/graphql', { query: '{ me { email } }' });
    return ((await response.json()) as { data?: { me: { email: string | null } | null } }).data?.me?.email ?? null;
  };
  return { jar, cookie, send, visit, signInAt, expire, post, email };
}

const signInTo = (redirect: string) => `/idp/sign-in?${new URLSearchParams({ redirect })}`;

async function signedInBrowser(redirect = '/console/') {
  const person = await makePerson(platform, { platformRoles: ['hubadmin'] });
  const browser = createBrowser();
  const { url } = await browser.visit(signInTo(redirect));
  const back = await browser.signInAt(url, person.email);
  const landed = await browser.visit(back);
  const { id = '' } = (await clerk.idp.listSessions(person.id))[0] ?? {};
  return { person, browser, landed, back, session: { id, userId: person.id } };
}

const list = (cookie: string) => callIam(platform, '/partners-admin/list', {}, { Cookie: cookie });

test('signing in at Clerk leads back to the page, and no script reads the cookies', async () => {
  const browser = createBrowser();
  const { url } = await browser.visit(signInTo('/console/live/payments?page=2'));
  expect(new URL(url).searchParams.get('redirect_url')).toContain(`${platform.url}/idp/sign-in/return?state=`);
  const { person, landed } = await signedInBrowser('/console/live/payments?page=2');
  expect(landed.url).toBe(`${platform.url}/console/live/payments?page=2`);
  const again = await browser.signInAt(url, person.email);
  const returned = await browser.send(again);
  const handshake = await browser.send(returned.headers.get('location') ?? '');
  const taken = await browser.send(handshake.headers.get('location') ?? '');
  const names = taken.headers.getSetCookie().filter((line) => /^__(session|refresh)/.test(line));
  expect(names).toHaveLength(3);
  for (const line of names) expect(line).toContain('HttpOnly');
  expect(await browser.email()).toBe(person.email);
});

test('with an https address the cookies of a session are of this host alone, also renewed, and no others count', async () => {
  const secure = await usePlatform({ identityProvider: 'clerk', publicUrl: 'https://pay.example.com' });
  const { id: userId, email } = await makePerson(secure, { platformRoles: ['hubadmin'] });
  const browser = createBrowser(secure);
  const { url } = await browser.visit(signInTo('/console/'));
  await browser.visit(await browser.signInAt(url, email));
  const own = () => [...browser.jar.keys()].filter((name) => /__(session|refresh)|sign_in/.test(name));
  expect(own()).toHaveLength(3);
  for (const name of own()) expect(name).toMatch(/^__Host-/);
  expect(await browser.email()).toBe(email);
  const bare = browser.cookie().replaceAll('__Host-', '');
  expect((await callIam(secure, '/partners-admin/list', {}, { Cookie: bare })).status).toBe(401);

  const [session] = await clerkOf(secure).idp.listSessions(userId);
  await browser.expire({ id: session?.id ?? '', userId });
  const renewed = await browser.post('/graphql', { query: '{ me { email } }' });
  expect(renewed.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-__session_[\w-]+=[^;]+;.* Path=\/; HttpOnly; SameSite=Lax; Secure$/),
  ]);
  const out = await browser.post('/idp/sign-out', {}, { Origin: 'https://pay.example.com' });
  expect(out.headers.getSetCookie()).toHaveLength(3);
  for (const line of out.headers.getSetCookie())
    expect(line).toMatch(/^__Host-[^=]+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
});

test('signing in works with a development instance, which has no cookie on the domain of the platform', async () => {
  const development = await usePlatform({ identityProvider: 'clerk', clerkInstance: 'development' });
  const person = await makePerson(development, { platformRoles: ['hubadmin'] });
  const browser = createBrowser(development);
  const { url } = await browser.visit(signInTo('/console/'));
  expect(url).toContain(`${clerkOf(development).url}/sign-in?`);
  const landed = await browser.visit(await browser.signInAt(url, person.email));
  expect(landed.url).toBe(`${development.url}/console/`);
  expect(await browser.email()).toBe(person.email);
});

test('a person who has a session at Clerk gets the cookies again without signing in', async () => {
  const { browser, person } = await signedInBrowser();
  for (const name of browser.jar.keys()) if (/^__(session|refresh)/.test(name)) browser.jar.delete(name);
  expect(await browser.email()).toBeNull();
  expect((await browser.visit(signInTo('/console/'))).url).toBe(`${platform.url}/console/`);
  expect(await browser.email()).toBe(person.email);
});

test('a sign-in can be completed for an hour, by the lifetime of its cookie', async () => {
  const { headers } = await createBrowser().send(signInTo('/console/'));
  const state = headers.getSetCookie().filter((line) => line.startsWith('platform.sign_in='));
  expect(state).toEqual([expect.stringContaining('; Max-Age=3600;')]);
});

test('/idp/account redirects to the account in the Account Portal of Clerk', async () => {
  const { status, headers } = await createBrowser().send('/idp/account');
  expect([status, headers.get('location')]).toEqual([303, `${clerk.url}/user`]);
});

test('a sign-in never leads to another site', async () => {
  for (const redirect of ['https://evil.example.com/', '//evil.example.com/', '/..//evil.example.com']) {
    const { landed } = await signedInBrowser(redirect);
    expect(new URL(landed.url).origin, redirect).toBe(platform.url);
  }
});

test("a link with another person's handshake signs no user in", async () => {
  const { browser: attacker, person } = await signedInBrowser();
  for (const name of attacker.jar.keys()) if (/^__(session|refresh)/.test(name)) attacker.jar.delete(name);
  const start = await attacker.send(signInTo('/console/'));
  const link = (await attacker.send(start.headers.get('location') ?? '')).headers.get('location') ?? '';
  expect(link).toContain('__clerk_handshake_nonce=');
  const victim = createBrowser();
  expect((await victim.visit(link)).url).toContain(`${clerk.url}/sign-in?`);
  expect(await victim.email()).toBeNull();
  expect((await attacker.visit(link)).url).toBe(`${platform.url}/console/`);
  expect(await attacker.email()).toBe(person.email);
});

test('401 instead of redirects without an end if Clerk signs no user in', async () => {
  const browser = createBrowser();
  const { url } = await browser.visit('/idp/sign-in');
  const back = new URL(url).searchParams.get('redirect_url') ?? '';
  expect((await browser.visit(back)).response.status).toBe(401);
});

describe('an expired token', () => {
  test('is renewed once for all requests with its cookie, and the answers set the new one', async () => {
    const { browser, session, person } = await signedInBrowser();
    await browser.expire(session);
    const cookie = browser.cookie();
    clerk.requests.length = 0;
    const answers = await Promise.all([list(cookie), list(cookie), list(cookie)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { headers } of answers)
      expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^__session_.*HttpOnly/)]);
    expect(clerk.requests.map(({ path }) => path)).toEqual([`/v1/sessions/${session.id}/refresh`]);
    expect(clerk.requests[0]?.query).toBe('suffixed_cookies=true');
    expect(clerk.requests[0]?.body).toEqual({
      format: 'cookie',
      expired_token: browser.jar.get('__session'),
      refresh_token: [...browser.jar].find(([name]) => name.startsWith('__refresh_'))?.[1],
      request_origin: platform.url,
      request_headers: { cookie: [cookie], origin: [platform.url] },
    });
    expect(await browser.email()).toBe(person.email);
    clerk.requests.length = 0;
    expect((await list(browser.cookie())).headers.getSetCookie()).toEqual([]);
    expect(clerk.requests).toEqual([]);
  });

  test('is renewed by the download of an export, whose answer sets the new cookie', async () => {
    const { browser, session } = await signedInBrowser();
    const query = 'mutation { createExport(list: { payments: {} }, mode: test) { url } }';
    const begun = await browser.post('/graphql', { query });
    const { data } = (await begun.json()) as { data: { createExport: { url: string } } };
    await browser.expire(session);
    const file = await browser.send(data.createExport.url);
    expect([file.status, (await file.text()).includes('id,createdAt')]).toEqual([200, true]);
    expect(file.headers.getSetCookie()).toEqual([expect.stringMatching(/^__session_.*HttpOnly/)]);
  });

  test('401 if the session has ended at Clerk or the refresh token is of another one', async () => {
    const [one, other] = [await signedInBrowser(), await signedInBrowser()];
    const stolen = [...one.browser.jar].find(([name]) => name.startsWith('__refresh')) ?? ['', ''];
    await other.browser.expire(other.session);
    const { jar } = other.browser;
    const own = jar.get(stolen[0]) ?? '';
    jar.set(...stolen);
    expect((await list(other.browser.cookie())).status).toBe(401);
    jar.set(stolen[0], own);
    await clerk.idp.revokeSession(other.person.id, other.session.id);
    expect((await list(other.browser.cookie())).status).toBe(401);
    expect(await other.browser.email()).toBeNull();
    expect((await other.browser.visit(signInTo('/console/'))).url).toContain(`${clerk.url}/sign-in?`);
  });

  test('503 while Clerk does not answer', async () => {
    const { browser, session } = await signedInBrowser();
    await browser.expire(session);
    clerk.interfere(() => ({ when: 'before', refusal: new ClerkRefusal(500, 'internal', 'down') }));
    expect((await list(browser.cookie())).status).toBe(503);
    clerk.interfere(null);
    expect((await list(browser.cookie())).status).toBe(200);
  });

  test('401 without a request to Clerk if its signature is not of the instance', async () => {
    const { browser, session } = await signedInBrowser();
    const { privateKey } = await generateKeyPair('RS256');
    const forged = await new SignJWT({
      iss: clerk.url,
      azp: platform.url,
      sub: session.userId,
      sid: session.id,
      sts: 'active',
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'ins_stand_in', typ: 'JWT' })
      .setIssuedAt(1_700_000_000)
      .setExpirationTime(1_700_000_060)
      .sign(privateKey);
    for (const name of browser.jar.keys()) if (name.startsWith('__session')) browser.jar.set(name, forged);
    clerk.requests.length = 0;
    expect((await list(browser.cookie())).status).toBe(401);
    expect(clerk.requests).toEqual([]);
  });
});

test('401 for a token of another instance, also beside one of this instance that counts', async () => {
  const { browser, session } = await signedInBrowser();
  const foreign = await clerk.signToken(session, { iss: 'https://clerk.other.example.com', azp: platform.url });
  expect((await list(`__session=${foreign}`)).status).toBe(401);
  browser.jar.set('__session', foreign);
  expect((await list(browser.cookie())).status).toBe(200);
});

test('of several session cookies the token that expires last counts, whatever their names', async () => {
  const [one, other] = [await signedInBrowser(), await signedInBrowser()];
  const now = Math.floor(Date.now() / 1000);
  const tokenOf = (session: { id: string; userId: string }, exp: number) =>
    clerk.signToken(session, { azp: platform.url, exp });
  const [sooner, later] = [await tokenOf(one.session, now + 40), await tokenOf(other.session, now + 50)];
  const suffixed = [...one.browser.jar.keys()].find((name) => name.startsWith('__session_'));
  for (const cookie of [`__session=${sooner}; ${suffixed}=${later}`, `__session=${later}; ${suffixed}=${sooner}`]) {
    const { data } = await clientOf(platform).graphql('{ me { email } }', {}, { Cookie: cookie });
    expect(data.me.email).toBe(other.person.email);
  }
});

describe('a page of another site', () => {
  const foreign = { Origin: 'https://evil.example.com' };

  test('403 for what it asks with the cookie; it cannot end the session', async () => {
    const { browser, person } = await signedInBrowser();
    const mutation = { query: 'mutation { createPartner(input: {name: "X", slug: "x-evil"}) { partner { slug } } }' };
    expect((await browser.post('/graphql', mutation, foreign)).status).toBe(403);
    expect((await browser.post('/idp/sign-out', {}, foreign)).status).toBe(403);
    expect(await browser.email()).toBe(person.email);
  });
});

test('signing out ends the session at Clerk and its tokens at once, and removes the cookies; 400 for a field', async () => {
  const { browser, person } = await signedInBrowser();
  const before = browser.cookie();
  expect((await browser.post('/idp/sign-out', { everywhere: true }, { Origin: platform.url })).status).toBe(400);
  expect((await browser.post('/idp/sign-out', {}, { Origin: platform.url })).status).toBe(200);
  expect([...browser.jar.keys()].filter((name) => /^__(session|refresh)/.test(name))).toEqual([]);
  expect(await clerk.idp.listSessions(person.id)).toEqual([]);
  expect((await list(before)).status).toBe(401);
});
