import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { execute, identifier, queryRows, sql } from '../../../database/sql.ts';
import { decryptSecret, encryptSecret, rewrapSecret } from '../../../keys/envelope.ts';
import { type KeyRing, parseKeyRing } from '../../../keys/key-ring.ts';
import type { Services } from '../../../services.ts';
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

/**
 * Rewraps signing secrets with the newest key of the ring: at most `limit` current and `limit` previous secrets.
 * Returns how many; 0 means that none is left under an older key. The secrets of deleted endpoints are included,
 * because their rows are kept.
 */
export async function rewrapSigningSecrets(
  { pool, config }: Pick<Services, 'pool' | 'config'>,
  limit: number,
): Promise<number> {
  const ring = parseKeyRing(config.vaultKeys);
  return (await rewrapColumn(pool, ring, 'secret', limit)) + (await rewrapColumn(pool, ring, 'previousSecret', limit));
}

async function rewrapColumn(
  pool: Services['pool'],
  ring: KeyRing,
  name: 'secret' | 'previousSecret',
  limit: number,
): Promise<number> {
  const olderIds = [...ring.keys.keys()].filter((id) => id !== ring.newestId);
  if (olderIds.length === 0) return 0;
  const column = identifier(name);
  // The second part of an encrypted secret is the id of its key.
  const rows = await queryRows<{ id: string; encrypted: string }>(
    pool,
    sql`
SELECT id, ${column} AS encrypted
FROM webhook_endpoints
WHERE split_part(${column}, '.', 2) = ANY(${olderIds})
LIMIT ${limit}`,
  );
  const ids = rows.map(({ id }) => id);
  const before = rows.map(({ encrypted }) => encrypted);
  const after = rows.map(({ id, encrypted }) => rewrapSecret(ring, encrypted, secretContext(id)));
  // The old value is compared, so that a secret that was rotated in the meantime is not restored.
  return execute(
    pool,
    sql`
UPDATE webhook_endpoints w
SET ${column} = n.after
FROM unnest(${ids}::text[], ${before}::text[], ${after}::text[]) AS n (id, before, after)
WHERE w.id = n.id AND w.${column} = n.before`,
  );
}
