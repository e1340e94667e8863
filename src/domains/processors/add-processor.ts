import type { Prisma, ProcessingAccount } from '../../generated/prisma/client.ts';
import { newId } from '../../kit/ids.ts';
import type { Mode } from '../../kit/mode.ts';
import type { Services } from '../../services.ts';
import type { Write } from '../../write/write.ts';
import { sealSecrets } from './connection.ts';
import { isConnected, optionChanges, type ProcessorType } from './options.ts';
import { type ProcessorRow, withoutSecrets } from './processor-rows.ts';

interface NewProcessor {
  name: string;
  type: ProcessorType;
  supportedCurrencies?: string[];
  enabled?: boolean;
  options?: Record<string, unknown>;
}

/** Adds a processor to an account, in the transaction of the caller. */
export async function addProcessor(
  services: Pick<Services, 'config'>,
  { tx, now, audit }: Write,
  account: Pick<ProcessingAccount, 'id' | 'partnerId' | 'mode'>,
  { options = {}, ...input }: NewProcessor,
): Promise<ProcessorRow> {
  const { id: platformAccountId, partnerId, mode } = account;
  const id = newId('proc_', now);
  // a CHECK constraint limits the column to the two
  const given = optionChanges(input.type, mode as Mode, options);
  const plain = {
    id,
    partnerId,
    platformAccountId,
    mode,
    supportedCurrencies: [],
    ...input,
    options: given.options as Prisma.InputJsonObject,
  }; // parsed from JSON
  const processor = await tx.processor.create({
    data: {
      ...plain,
      secrets: sealSecrets(services.config, id, given.secrets),
      connected: isConnected(input.type, Object.keys(given.secrets)),
      createdAt: now,
      updatedAt: now,
    },
  });
  audit({
    action: 'createProcessor',
    target: id,
    after: { ...plain, secretOptions: Object.keys(given.secrets).sort() },
  });
  return withoutSecrets(processor);
}
