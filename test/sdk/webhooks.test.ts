import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { Platform, type WebhookEventOf, WebhookSignatureError, WrongModeError, webhooks } from '../../sdk/src/index.ts';
import { newSecret } from '../../src/auth/secret.ts';
import { newSigningSecret } from '../../src/domains/webhooks/endpoints/signing.ts';

const secret = newSigningSecret();
const other = newSigningSecret();
const event = {
  id: 'evt_1',
  type: 'payment/succeeded',
  livemode: false,
  data: { object: { id: 'pay_1', amount: 2500 } },
};
const { body, headers } = webhooks.sign(event, secret);

/** The message, signed at another time. */
function signedAt(seconds: number) {
  return {
    'webhook-id': event.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(secret).sign(event.id, new Date(seconds * 1000), body),
  };
}
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

describe('unwrap', () => {
  test('answers the event of a message that one of the secrets signed, from text and bytes, whatever has the headers', () => {
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const raw of [body, new TextEncoder().encode(body), Buffer.from(body)])
      for (const given of [headers, capitals, new Headers(headers)])
        expect(webhooks.unwrap(raw, given, secret)).toEqual(event);
    expect(webhooks.unwrap(body, headers, [other, secret])).toEqual(event);
    const rotated = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` };
    expect(webhooks.unwrap(body, rotated, secret)).toEqual(event);
  });

  test('types the object by the type of the event', () => {
    const given = webhooks.unwrap(body, headers, secret);
    const amount = given.type === 'payment/succeeded' ? given.data.object.amount : 0;
    const typed: WebhookEventOf<'payment/succeeded'>['data']['object']['amount'] = amount;
    expect(typed).toBe(2500);
  });

  test('accepts 300 s of difference and no more, and says which clock is behind', () => {
    // 2 s of room: the clock runs on while the test does.
    expect(webhooks.unwrap(body, signedAt(nowSeconds() - 298), secret)).toEqual(event);
    expect(webhooks.unwrap(body, signedAt(nowSeconds() + 300), secret)).toEqual(event);
    const old = (): unknown => webhooks.unwrap(body, signedAt(nowSeconds() - 301), secret);
    expect(old).toThrow(WebhookSignatureError);
    expect(old).toThrow(/30\d s before the clock of this machine; up to 300 s are accepted. Set the clock by NTP/);
    expect(() => webhooks.unwrap(body, signedAt(nowSeconds() + 600), secret)).toThrow(/s after the clock/);
  });

  test.each<[string, unknown, Record<string, string>, string | string[], RegExp]>([
    ['the secret of another endpoint', body, headers, other, /not signed with any of the secrets.*its own secret/],
    ['no secret at all', body, headers, [], /not signed with any of the secrets/],
    ['an API key for a secret', body, headers, newSecret('sub', 'test').secret, /begins with whsec_/],
    ['half a secret', body, headers, 'whsec_', /missing or incomplete/],
    ['a body that was written again', JSON.stringify(event, null, 1), headers, secret, /pass the body as it arrived/],
    ['a body that was parsed', event, headers, secret, /a parsed body cannot be verified/],
    ['a request without the headers', body, { 'content-type': 'application/json' }, secret, /no header webhook-id/],
    ['a time that is none', body, { ...headers, 'webhook-timestamp': 'now' }, secret, /is no time/],
  ])('refuses %s, and says so', (_title, raw, given, secrets, message) => {
    const call = (): unknown => webhooks.unwrap(raw as string, given, secrets);
    expect(call).toThrow(WebhookSignatureError);
    expect(call).toThrow(message);
  });

  test('of a client refuses an event of the other mode', () => {
    const client = (mode: 'test' | 'live') =>
      new Platform({ apiKey: newSecret('sub', mode).secret, baseUrl: 'https://pay.example.com' });
    expect(client('test').webhooks.unwrap(body, headers, secret)).toEqual(event);
    expect(() => client('live').webhooks.unwrap(body, headers, secret)).toThrow(WrongModeError);
  });
});
