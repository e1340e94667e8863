import { tenantOf } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { Processor } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';

/** A processor with the names of its secrets in place of the secrets. */
export type ProcessorRow = Omit<Processor, 'secrets'> & { secretOptions: string[] };

/** Reads a processor that is visible to the caller and locks its row until the transaction ends; 404 otherwise. */
export async function lockProcessor(
  { caller }: Pick<KeyContext, 'caller'>,
  { tx }: Pick<Write, 'tx'>,
  processorId: string,
): Promise<Processor> {
  await tx.$queryRaw(sql`
    SELECT id
    FROM processors
    WHERE id = ${processorId}
    FOR NO KEY UPDATE`);
  const processor = await tx.processor.findFirst({ where: { ...tenantOf(caller), id: processorId } });
  if (!processor) throw noSuchProcessor();
  return processor;
}

export function noSuchProcessor(): NotFound {
  return new NotFound('There is no such processor.');
}

export function withoutSecrets({ secrets, ...processor }: Processor): ProcessorRow {
  // a CHECK constraint limits the column to objects
  return { ...processor, secretOptions: Object.keys(secrets as object).sort() };
}
