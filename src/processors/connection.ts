import type { Env } from '../env.ts';
import { type ProcessorConnection, processorConnection } from '../ports/processor-connection.ts';
import { type KeyRing, parseKeyRing } from '../vault/key-ring.ts';
import { decryptSecret, encryptSecret, rewrapSecret } from '../vault/secrets.ts';

/** A processor's row as far as it says how to call there. Its secrets are encrypted, each bound to the row and its name. */
export interface ConnectionRow {
  id: string;
  options: unknown;
  secrets: unknown;
}

/** The record of a processor as calls carry it, its secrets in clear. */
export function openConnection(
  { vaultKeys }: Pick<Env['config'], 'vaultKeys'>,
  { id, options, secrets }: ConnectionRow,
): ProcessorConnection {
  const sealed = Object.entries((secrets ?? {}) as Record<string, string>); // a CHECK constraint holds the column to objects, and sealSecrets alone writes it
  const ring = sealed.length === 0 ? null : parseKeyRing(vaultKeys);
  const clear = ring
    ? Object.fromEntries(sealed.map(([name, text]) => [name, decryptSecret(ring, text, contextOf(id, name))]))
    : {};
  return processorConnection({ id, options: (options ?? {}) as Record<string, unknown>, secrets: clear }); // as above
}

/** The same by its id, read anew: a key that was replaced since a payment began is the one that counts. */
export async function connectionTo(
  { pool, config }: Pick<Env, 'pool' | 'config'>,
  processorId: string,
): Promise<ProcessorConnection> {
  const { rows } = await pool.query<ConnectionRow>({
    name: 'connection-to-processor',
    text: 'SELECT id, options, secrets FROM processors WHERE id = $1',
    values: [processorId],
  });
  const [row] = rows;
  if (!row) throw new Error(`There is no processor ${processorId}.`);
  return openConnection(config, row);
}

/** Secrets as the row keeps them. */
export function sealSecrets(
  { vaultKeys }: Pick<Env['config'], 'vaultKeys'>,
  processorId: string,
  secrets: Readonly<Record<string, string>>,
): Record<string, string> {
  const ring = parseKeyRing(vaultKeys);
  return Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [name, encryptSecret(ring, secret, contextOf(processorId, name))]),
  );
}

/** Wraps the secrets of up to `limit` processors anew under the newest key of the ring, and says of how many. At 0 none is left under the older keys. */
export async function rewrapProcessorSecrets(
  { pool, config }: Pick<Env, 'pool' | 'config'>,
  limit: number,
): Promise<number> {
  const ring = parseKeyRing(config.vaultKeys);
  const olderIds = [...ring.keys.keys()].filter((id) => id !== ring.newestId);
  if (olderIds.length === 0) return 0;
  // The second part of a stored secret is the id of its key.
  const find = `SELECT id, secrets FROM processors WHERE EXISTS (SELECT 1 FROM jsonb_each_text(secrets) s WHERE split_part(s.value, '.', 2) = ANY ($1)) LIMIT $2`;
  const { rows } = await pool.query<{ id: string; secrets: Record<string, string> }>(find, [olderIds, limit]);
  let count = 0;
  for (const { id, secrets } of rows) {
    // Compared again, so that a secret that was replaced meanwhile is not put back.
    const { rowCount } = await pool.query('UPDATE processors SET secrets = $3 WHERE id = $1 AND secrets = $2', [
      id,
      JSON.stringify(secrets),
      JSON.stringify(rewrapped(ring, id, secrets)),
    ]);
    count += rowCount ?? 0;
  }
  return count;
}

function rewrapped(ring: KeyRing, id: string, secrets: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, text]) => [name, rewrapSecret(ring, text, contextOf(id, name))]),
  );
}

/** What an encrypted secret is bound to: in another row, or under another name, it does not open. */
function contextOf(processorId: string, name: string): string {
  return `processor:${processorId}:${name}`;
}
