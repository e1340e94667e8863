import { queryRow, sql } from '../../database/sql.ts';
import { decryptSecret, encryptSecret } from '../../keys/envelope.ts';
import { parseKeyRing } from '../../keys/key-ring.ts';
import type { SecretColumn } from '../../keys/rewrap.ts';
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

export const processorSecrets: SecretColumn = {
  table: sql`processors`,
  column: sql`secrets`,
  isObject: true,
  context: optionContext,
};

/** The context that an encrypted secret is bound to: it cannot be decrypted for another row or name. */
function optionContext(processorId: string, name: string): string {
  return `processor:${processorId}:${name}`;
}
