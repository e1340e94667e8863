import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Config } from '../kit/config.ts';
import { parseKeyRing } from '../vault/key-ring.ts';
import { decryptSecret, encryptSecret } from '../vault/secrets.ts';

const secretBytes = 32;

/** A signing secret as the receiver is shown it, once. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

export function sealSecret(config: Config, endpointId: string, secret: string): string {
  return encryptSecret(parseKeyRing(config.vaultKeys), secret, contextOf(endpointId));
}

export interface SigningSecrets {
  endpointId: string;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: Date | null;
}

/** The headers of Standard Webhooks 1.0. While a secret is being replaced both sign, so that a receiver may hold either. */
export function signedHeaders(
  config: Config,
  by: SigningSecrets,
  eventId: string,
  body: string,
  now: Date,
): Record<string, string> {
  const ring = parseKeyRing(config.vaultKeys);
  const sealed = [by.secret];
  if (by.previousSecret !== null && by.previousSecretUntil !== null && by.previousSecretUntil > now)
    sealed.push(by.previousSecret);
  const signatures = sealed.map((text) =>
    new Webhook(decryptSecret(ring, text, contextOf(by.endpointId))).sign(eventId, now, body),
  );
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** What an encrypted signing secret is bound to. */
export function contextOf(endpointId: string): string {
  return `webhook:${endpointId}`;
}
