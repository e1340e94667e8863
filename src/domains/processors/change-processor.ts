import type { Prisma, Processor } from '../../generated/prisma/client.ts';
import type { Services } from '../../services.ts';
import type { Write } from '../../write/write.ts';
import { sealSecrets } from './connection.ts';
import { isConnected, type OptionChanges, type ProcessorType } from './options.ts';
import { type ProcessorRow, withoutSecrets } from './processor-rows.ts';

/** Writes a change of a processor that is locked, with its options, its secrets and an audit row. */
export async function changeProcessor(
  services: Pick<Services, 'config'>,
  { tx, now, audit }: Write,
  before: Processor,
  data: { name?: string; enabled?: boolean; supportedCurrencies?: string[] },
  given: OptionChanges,
): Promise<ProcessorRow> {
  const withoutRemoved = (kept: Prisma.JsonValue): Record<string, unknown> =>
    // a CHECK constraint limits both columns to objects
    Object.fromEntries(Object.entries(kept as object).filter(([name]) => !given.removed.includes(name)));
  const secrets = { ...withoutRemoved(before.secrets), ...sealSecrets(services.config, before.id, given.secrets) };
  const options = { ...withoutRemoved(before.options), ...given.options } as Prisma.InputJsonObject; // parsed from JSON
  // a CHECK constraint limits the column to the types
  const connected = isConnected(before.type as ProcessorType, Object.keys(secrets));
  const after = await tx.processor.update({
    where: { id: before.id },
    data: { ...data, options, secrets: secrets as Prisma.InputJsonObject, connected, updatedAt: now },
  });
  // Names the secrets that were replaced: the set of names alone would look unchanged.
  audit({
    action: 'updateProcessor',
    target: before.id,
    before: auditedOf(before),
    after: { ...auditedOf(after), secretsSet: Object.keys(given.secrets).sort() },
  });
  return withoutSecrets(after);
}

function auditedOf(processor: Processor): object {
  const { name, enabled, supportedCurrencies, options, connected, secretOptions } = withoutSecrets(processor);
  return { name, enabled, supportedCurrencies, options, connected, secretOptions };
}
