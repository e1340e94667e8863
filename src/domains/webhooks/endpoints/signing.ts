import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { sql } from '../../../database/sql.ts';
import { decryptSecret, encryptSecret } from '../../../keys/envelope.ts';
import { parseKeyRing } from '../../../keys/key-ring.ts';
import type { SecretColumn } from '../../../keys/rewrap.ts';
import type { Config } from '../../../settings/config.ts';

const secretBytes = 32;

/** A signing secret in the form in which it is returned, once. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

export function encryptSigningSecret(config: Config, endpointId: string, secret: string): string {
  return encryptSecret(parseKeyRing(config.vaultKeys), secret, secretContext(endpointId));
}

export interface SigningSecrets {
  endpointId: string;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: Date | null;
}

/**
 * The headers of Standard Webhooks 1.0. During a rotation both secrets sign, so that the receiver may verify with
 * either.
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
    new Webhook(decryptSecret(ring, secret, secretContext(by.endpointId))).sign(eventId, now, body),
  );
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** The encryption context of a signing secret: it can be decrypted for its own endpoint only. */
function secretContext(endpointId: string): string {
  return `webhook:${endpointId}`;
}

/** Secrets of deleted endpoints are included, because their rows are kept. */
const ofEndpoints = { table: sql`webhook_endpoints`, context: secretContext };
export const newSecrets: SecretColumn = { ...ofEndpoints, column: sql`secret` };
export const previousSecrets: SecretColumn = { ...ofEndpoints, column: sql`"previousSecret"` };
