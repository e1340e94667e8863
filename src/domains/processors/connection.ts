import { execute, queryRow, queryRows, sql } from '../../database/sql.ts';
import { decryptSecret, encryptSecret, rewrapSecret } from '../../keys/envelope.ts';
import { type KeyRing, parseKeyRing } from '../../keys/key-ring.ts';
import { type ProcessorConnection, processorConnection } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';

/**
 * The columns of a processor's row that a call needs. Each secret is encrypted and bound to the row and to its name.
 */
export interface ConnectionRow {
  id: string;
  options: unknown;
  secrets: unknown;
}

/** The connection for calls, with decrypted secrets. */
export function openConnection(
  { vaultKeys }: Pick<Services['config'], 'vaultKeys'>,
  { id, options, secrets }: ConnectionRow,
): ProcessorConnection {
  // a CHECK constraint limits the column to objects, and only sealSecrets writes it
  const sealed = Object.entries((secrets ?? {}) as Record<string, string>);
  const ring = sealed.length === 0 ? null : parseKeyRing(vaultKeys);
  const clear = ring
    ? Object.fromEntries(sealed.map(([name, text]) => [name, decryptSecret(ring, text, optionContext(id, name))]))
    : {};
  return processorConnection({ id, options: (options ?? {}) as Record<string, unknown>, secrets: clear }); // as above
}

/** Reads the connection by its id, because the API key may have been replaced since the payment was started. */
export async function connectionTo(
  { pool, config }: Pick<Services, 'pool' | 'config'>,
  processorId: string,
): Promise<ProcessorConnection> {
  const row = await queryRow<ConnectionRow>(
    pool,
    sql`
      SELECT id, options, secrets
      FROM processors
      WHERE id = ${processorId}`,
  );
  if (!row) throw new Error(`There is no processor ${processorId}.`);
  return openConnection(config, row);
}

/** Encrypts secrets for the row. */
export function sealSecrets(
  { vaultKeys }: Pick<Services['config'], 'vaultKeys'>,
  processorId: string,
  secrets: Readonly<Record<string, string>>,
): Record<string, string> {
  const ring = parseKeyRing(vaultKeys);
  return Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [
      name,
      encryptSecret(ring, secret, optionContext(processorId, name)),
    ]),
  );
}

/**
 * Rewraps the secrets of up to `limit` processors under the newest key of the ring and returns their number. 0 means
 * that none is left under the older keys.
 */
export async function rewrapProcessorSecrets(
  { pool, config }: Pick<Services, 'pool' | 'config'>,
  limit: number,
): Promise<number> {
  const ring = parseKeyRing(config.vaultKeys);
  const olderIds = [...ring.keys.keys()].filter((id) => id !== ring.newestId);
  if (olderIds.length === 0) return 0;
  // The second part of a stored secret is the id of its key.
  const rows = await queryRows<{ id: string; secrets: Record<string, string> }>(
    pool,
    sql`
      SELECT id, secrets
      FROM processors
      WHERE EXISTS (
        SELECT 1
        FROM jsonb_each_text(secrets) s
        WHERE split_part(s.value, '.', 2) = ANY (${olderIds})
      )
      LIMIT ${limit}`,
  );
  let count = 0;
  for (const { id, secrets } of rows) {
    // The old secrets are compared, so that ones replaced in the meantime are not overwritten.
    count += await execute(
      pool,
      sql`
        UPDATE processors
        SET secrets = ${JSON.stringify(rewrapSecrets(ring, id, secrets))}
        WHERE id = ${id} AND secrets = ${JSON.stringify(secrets)}`,
    );
  }
  return count;
}

function rewrapSecrets(ring: KeyRing, id: string, secrets: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, text]) => [name, rewrapSecret(ring, text, optionContext(id, name))]),
  );
}

/** The context that an encrypted secret is bound to: it cannot be decrypted for another row or name. */
function optionContext(processorId: string, name: string): string {
  return `processor:${processorId}:${name}`;
}
