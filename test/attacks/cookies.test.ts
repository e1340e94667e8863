import { expect, test } from 'vitest';
import { checkoutWorld } from '../domains/funnels/checkout-world.ts';
import { initiatePath } from '../domains/processors/connect/walk.ts';
import { cardholderWorld } from '../domains/subscriptions/cardholder-world.ts';
import { credentialsOf, peopleOf } from '../iam/identity/people.ts';
import type { TestPlatform } from '../support/platform.ts';

// cspell:ignore dont
// The cookies of sessions at Clerk: `test/iam/clerk/browser-sessions.test.ts`.
const PUBLIC_URL = 'https://pay.example.com';
const options = { identityProvider: 'embedded', publicUrl: PUBLIC_URL } as const;
const shop = checkoutWorld(options);
const subscriptions = cardholderWorld(options);

/** A browser behind the proxy that ends TLS, with the cookies that it was sent. */
function browserOf(platform: TestPlatform) {
  const lines: string[] = [];
  const ask = async (url: string, body?: object, Cookie = '') => {
    const response = await fetch(new URL(url.replace(PUBLIC_URL, ''), platform.url), {
      redirect: 'manual',
      headers: { Accept: body ? 'application/json' : 'text/html', 'Content-Type': 'application/json', Cookie },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const set = response.headers.getSetCookie();
    lines.push(...set);
    const cookie = set.map((line) => line.split(';')[0]).join('; ');
    return { status: response.status, location: response.headers.get('location'), text: await response.text(), cookie };
  };
  return { lines, ask };
}

test('with an https address every cookie is Secure, HttpOnly and of this host alone, or has a narrower path', async () => {
  const { platform, account } = subscriptions;
  const { ask, lines } = browserOf(platform);
  // As with a replica of the database, after a change.
  const { config } = platform.services;
  const database = { ...config.database, replica: { maxLagMs: 60_000 } };
  Object.assign(platform.services, { config: { ...config, database } });
  const { backupCodes, ...person } = await peopleOf(platform).enroll({ platformRoles: ['hubadmin'] });
  const challenge = await ask('/idp/sign-in/email', credentialsOf(person));
  const { cookie, status } = await ask('/idp/sign-in/code', { code: backupCodes[0] }, challenge.cookie);
  expect([status, (await ask('/idp/account', undefined, cookie)).status]).toEqual([200, 200]);
  await ask('/graphql', { query: 'mutation { endMyOtherSessions { endedCount } }' }, cookie);
  await ask('/idp/sign-out', {}, cookie);
  const bare = cookie.replaceAll('__Host-', '');
  for (const forged of [bare, bare.replace('platform.', '__Secure-platform.')])
    expect((await ask('/idp/account', undefined, forged)).status).toBe(303);
  const german = await ask('/idp/sign-in?lang=de');
  expect((await ask('/idp/sign-in', undefined, german.cookie)).text).toContain('lang="de"');

  const { id: processorId } = await account.api.ok('/processors/create', { name: 'Stripe', type: 'stripe' });
  const { url } = await account.api.ok(initiatePath, { processorId });
  const callback = JSON.parse((await ask(url, { outcome: 'approve' })).text).url as string;
  expect((await ask(callback)).status).toBe(200);

  const due = await subscriptions.pastDue();
  const away = await ask(`${due.url}/challenge`);
  const back = await ask(`/cardholder/return/${due.id}`, undefined, away.cookie);
  expect(back.location).toBe(due.url);

  const shopper = await shop.atCheckout();
  const { payment } = (await shopper.ask('/pay', shop.payment('4000000000003220'))).body;
  const visitor = browserOf(shop.platform);
  const sent = await visitor.ask(payment.url);
  const returned = await visitor.ask(`/checkout/return/${shopper.id}`, undefined, sent.cookie);
  // This funnel has no pages to return to.
  expect(returned.text).toContain('404');

  const all = [...lines, ...visitor.lines];
  const kindOf = (line: string) => line.slice(0, line.indexOf('=')).replace(/_\w{20,}$/, '_*');
  expect([...new Set(all.map(kindOf))].sort()).toEqual([
    '__Host-lang',
    '__Host-platform.device',
    '__Host-platform.dont_remember',
    '__Host-platform.session_data',
    '__Host-platform.session_token',
    '__Host-platform.two_factor',
    '__Host-platform_wrote',
    '__Secure-cardholder_*',
    '__Secure-checkout_*',
    '__Secure-connect_*',
  ]);
  for (const line of all) {
    expect(line).toMatch(/; HttpOnly(;|$)/);
    expect(line).toMatch(/; Secure(;|$)/);
    expect(line).not.toMatch(/; Domain/i);
    expect(line).toMatch(line.startsWith('__Host-') ? /; Path=\/;/ : /; Path=\/[a-z][a-z0-9/-]+;/);
  }
});
