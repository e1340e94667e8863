import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { parseKeyRing } from '../../kit/encryption/key-ring.ts';
import { decryptSecret, encryptSecret } from '../../kit/encryption/secrets.ts';
import type { Config } from '../../runtime/config.ts';

const secretBytes = 32;

/** A signing secret in the form in which the receiver gets it, once. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

export function encryptSigningSecret(config: Config, endpointId: string, secret: string): string {
  return encryptSecret(parseKeyRing(config.vaultKeys), secret, contextOf(endpointId));
}

export interface SigningSecrets {
  endpointId: string;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: Date | null;
}

/**
 * The headers of Standard Webhooks 1.0. While a secret is being rotated both secrets sign, so that the receiver may
 * verify with either.
 */
export function signedHeaders(
  config: Config,
  by: SigningSecrets,
  eventId: string,
  body: string,
  now: Date,
): Record<string, string> {
  const ring = parseKeyRing(config.vaultKeys);
  const encrypted = [by.secret];
  if (by.previousSecret !== null && by.previousSecretUntil !== null && by.previousSecretUntil > now)
    encrypted.push(by.previousSecret);
  const signatures = encrypted.map((secret) =>
    new Webhook(decryptSecret(ring, secret, contextOf(by.endpointId))).sign(eventId, now, body),
  );
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** The encryption context of a signing secret: it can be decrypted for its own endpoint only. */
export function contextOf(endpointId: string): string {
  return `webhook:${endpointId}`;
}
