import fc from 'fast-check';
import { expect, test } from 'vitest';
import { peopleOf } from '../iam/identity/people.ts';
import { type Requested, registeredWhile, requestsOf } from '../support/anonymous-routes.ts';
import { usePlatform } from '../support/platform.ts';
import { rawAnswer } from '../support/raw-answer.ts';

const { started: platform, paths } = await registeredWhile(() =>
  usePlatform({ identityProvider: 'embedded', env: { TRUST_PROXY: '1' } }),
);
const { cookie } = await peopleOf(platform).enroll();
const session = cookie.split(';')[0] ?? '';
const requests = requestsOf(paths);
const id = '0000000000000000000000';

/** Text as it may stand in a header or, encoded, in an address. */
const odd = fc.oneof(
  fc.constantFrom(
    '',
    '%',
    '%00',
    '%E0%A4%A',
    '%ff',
    '.',
    '..',
    '=',
    '==',
    ';',
    '"',
    '__proto__',
    'constructor',
    'null',
  ),
  fc.constantFrom(
    'x'.repeat(3_000),
    '%00'.repeat(50),
    '9'.repeat(400),
    'a.b.c',
    'a.b.c.d',
    '-1',
    'NaN',
    '{}',
    '[',
    '\xff\xfe',
  ),
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => (code === 0x7f ? '~' : String.fromCharCode(code))),
  }),
  fc.base64String({ maxLength: 80 }),
);
const cookieNames = ['platform.two_factor', 'platform.session_token', 'platform.trust_device', 'platform.session_data'];
const names = [
  ...cookieNames,
  'language',
  `cardholder_sub_${id}`,
  `checkout_fs_${id}`,
  '__session',
  '__proto__',
  'wrote',
];
const cookies = fc
  .array(fc.tuple(fc.constantFrom('', '__Secure-', '__Host-'), fc.constantFrom(...names), odd), {
    minLength: 1,
    maxLength: 4,
  })
  .map((all) => all.map(([prefix, name, value]) => `${prefix}${name}=${value}`).join('; '));
const headerNames = [
  'Accept Accept-Language Accept-Encoding Authorization If-None-Match If-Modified-Since Range Origin',
  'Referer Idempotency-Key Request-Id Traceparent Session-User User-Agent X-Forwarded-For',
  'X-Forwarded-Host X-Forwarded-Proto Forwarded Sec-Fetch-Site Content-Encoding Stripe-Signature',
  'svix-signature svix-id svix-timestamp webhook-signature Prefer',
].flatMap((line) => line.split(' '));
const headers = fc.oneof(
  cookies.map((Cookie) => ({ Cookie })),
  odd.map((value) => ({ Cookie: `${session}${value}` })),
  fc
    .tuple(
      fc.constantFrom(...headerNames),
      fc.oneof(
        odd,
        odd.map((value) => `Bearer ${value}`),
        odd.map((value) => `t=1,v1=${value}`),
      ),
    )
    .map(([name, value]) => ({ [name]: value })),
);

/** A part of the path in another spelling, and a query. */
const addresses = fc.tuple(
  fc.nat(8),
  odd,
  fc.boolean(),
  fc.constantFrom('token', 'ticket', 'redirect', 'state', 'lang', 'query', 'x[]'),
);

interface Sent extends Requested {
  headers: Record<string, string>;
}

const sent: fc.Arbitrary<Sent> = fc
  .tuple(fc.constantFrom(...requests), fc.option(addresses), fc.option(headers, { freq: 8 }))
  .map(([requested, address, header]) => {
    if (!address) return { ...requested, headers: header ?? {} };
    const [at, value, isRaw, name] = address;
    // As sent, where only bytes of an address are in it, or encoded.
    const text = isRaw && /^[\w.~%=-]*$/.test(value) ? value : encodeURIComponent(value);
    const [path = ''] = requested.path.split('?');
    const parts = path.split('/');
    if (at > 0 && at < parts.length) parts[at] = text;
    return { ...requested, path: `${parts.join('/')}?${name}=${text}`, headers: header ?? {} };
  });

function ofContract(body: Buffer): boolean {
  const { code, message, data, errors, issues, error } = JSON.parse(body.toString()) as Record<string, unknown>;
  const isProblem = typeof message === 'string' && (typeof code === 'string' || data !== undefined);
  return isProblem || Array.isArray(errors) || Array.isArray(issues) || error !== undefined;
}

test('no 500 by any header, cookie, path or query of a route; each has Request-Id; a refusal is JSON or a page', async () => {
  const sample = fc.sample(sent, { numRuns: 4_000, seed: 20_261_128 });
  const wrong: string[] = [];
  const ask = async (one: Sent, index: number): Promise<void> => {
    // Each of a client of its own, so that no limit hides what a route does.
    const from = { 'X-Forwarded-For': `2001:db8:${index.toString(16)}::1` };
    const {
      status,
      headers: got,
      body,
    } = await rawAnswer(platform.url + one.path, { ...one, headers: { ...from, ...one.headers } });
    const type = String(got['content-type'] ?? '');
    const isRight =
      status < 500 &&
      got['request-id'] !== undefined &&
      (status < 400 || type.startsWith('text/html') || (type.includes('json') && ofContract(body)));
    if (!isRight) wrong.push(`${JSON.stringify(one)} → ${status} ${type} ${body.toString().slice(0, 200)}`);
  };
  for (let at = 0; at < sample.length; at += 12)
    await Promise.all(sample.slice(at, at + 12).map((one, n) => ask(one, at + n)));
  expect(wrong).toEqual([]);
}, 120_000);
