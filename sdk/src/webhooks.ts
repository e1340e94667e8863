import { Webhook } from 'standardwebhooks';
import { WebhookSignatureError } from './errors.ts';
import type { webhooks } from './openapi.ts';

/** An event as it is sent to an endpoint. `type` tells the type of `data.object`. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];

/** The event of one type. */
export type WebhookEventOf<Type extends WebhookEvent['type']> = Extract<WebhookEvent, { type: Type }>;

/** The headers of the request, as any server has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const toleranceSeconds = 300;

/**
 * The event of a message, if it was signed with one of the secrets within the last five minutes. `raw` is the body as
 * it arrived, before anything parses it. While a secret is rotated, pass the new one and the old one.
 */
export function unwrap(
  raw: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): WebhookEvent {
  const text = textOf(raw);
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signature = header(headers, 'webhook-signature');
  checkTime(timestamp);
  const signed = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  const webhooksOf = [secrets].flat().map(webhookOf);
  if (!webhooksOf.some((webhook) => isSigned(webhook, text, signed)))
    throw new WebhookSignatureError(
      'The message is not signed with any of the secrets given. Each endpoint has its own secret: pass the one that ' +
        'the creation of this endpoint answered, and after a rotation the new one and the old one. Also pass the ' +
        'body as it arrived: JSON that was parsed and written again has another signature.',
    );
  return JSON.parse(text) as WebhookEvent; // the platform signed it
}

/** Signs an event as the platform does: for a test of a receiver, and to send it a stored event again. */
export function sign(event: { id: string }, secret: string): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(event);
  const now = new Date();
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhookOf(secret).sign(event.id, now, body),
    },
  };
}

function textOf(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  if (raw instanceof Uint8Array) return new TextDecoder().decode(raw);
  throw new WebhookSignatureError(
    'The body is no text and no bytes. Pass it as it arrived, for example with ' +
      'express.text({ type: "*/*", limit: "1mb" }): a parsed body cannot be verified.',
  );
}

function header(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  const [first] = [value].flat();
  if (typeof first === 'string' && first !== '') return first;
  throw new WebhookSignatureError(
    `The request has no header ${name}. Pass all headers of the request; one without it was not sent by the platform.`,
  );
}

function checkTime(timestamp: string): void {
  const seconds = Number(timestamp);
  const age = Math.floor(Date.now() / 1000) - seconds;
  if (/^\d+$/.test(timestamp) && Math.abs(age) <= toleranceSeconds) return;
  const sentAt = /^\d+$/.test(timestamp)
    ? `is ${Math.abs(age)} s ${age > 0 ? 'before' : 'after'} the clock of this machine`
    : 'is no time';
  throw new WebhookSignatureError(
    `The time of the message ${sentAt}; up to ${toleranceSeconds} s are accepted. Set the clock by NTP. A message ` +
      'that was recorded is not accepted later: have it sent again with webhooks.redeliver.',
  );
}

function webhookOf(secret: unknown): Webhook {
  try {
    if (typeof secret === 'string' && secret.startsWith('whsec_')) return new Webhook(secret);
  } catch {
    // Reported below.
  }
  throw new WebhookSignatureError(
    'A secret of an endpoint is missing or incomplete. It begins with whsec_, and webhooks.create answers it once.',
  );
}

function isSigned(webhook: Webhook, text: string, headers: Record<string, string>): boolean {
  try {
    webhook.verify(text, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}
