import type { TenantContext } from '../../call/context.ts';
import type { Prisma, ProcessingAccount, Processor } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import { type Mode, newId } from '../../lib/ids.ts';
import type { Services } from '../../services.ts';
import { assertRoom, type Write, write } from '../../unit-of-work/write.ts';
import { ownerAt } from '../stores/public.ts';
import { sealSecrets } from './connection.ts';
import { isConnected, type OptionChanges, optionChanges, type ProcessorType } from './options.ts';
import { lockProcessor, type ProcessorRow, withoutSecrets } from './rows.ts';
import type { CreateProcessorInput, UpdateProcessorInput } from './types.ts';

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

/** Each charge searches them for one that it may use. */
const processorsMax = 100;

/** Adds a processor to the account of the key, or with a partner key to that of the store that it names. */
export async function createProcessor(
  context: TenantContext,
  input: typeof CreateProcessorInput.$inferInput,
): Promise<ProcessorRow> {
  const { tenant } = context;
  // The test processor moves no money, so its approvals would be false in live mode.
  if (tenant.mode === 'live' && input.type === 'test') throw invalid('type', 'must not be test in live mode');
  const { name, type, enabled } = input;
  optionChanges(type, tenant.mode, input.options ?? {});
  const { platformAccountId: id, partnerId, mode } = await ownerAt(context, input.storeId);
  return write(context, 'createProcessor', async (change) => {
    await assertRoom(change, id, {
      what: 'processors',
      max: processorsMax,
      count: (where) => change.tx.processor.count({ where }),
    });
    return addProcessor(
      context.services,
      change,
      { id, partnerId, mode },
      {
        name,
        type,
        enabled,
        supportedCurrencies: [...new Set(input.supportedCurrencies ?? [])],
        options: input.options ?? {},
      },
    );
  });
}

/** Writes a change of a locked processor, with its options, its secrets and an audit row. */
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
  // The names of the replaced secrets: the list of all names would look unchanged.
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

/** Changes the fields, and the single options, that are given. */
export async function updateProcessor(
  context: TenantContext,
  processorId: string,
  input: typeof UpdateProcessorInput.$inferInput,
): Promise<ProcessorRow> {
  return write(context, 'updateProcessor', async (change) => {
    const before = await lockProcessor(context, change, processorId);
    const { name, enabled, supportedCurrencies, options } = input;
    // a CHECK constraint limits the column to the types
    const given = optionChanges(before.type as ProcessorType, context.tenant.mode, options ?? {});
    const data = {
      ...(name != null && { name }),
      ...(enabled != null && { enabled }),
      ...(supportedCurrencies !== undefined && { supportedCurrencies: [...new Set(supportedCurrencies ?? [])] }),
    };
    return changeProcessor(context.services, change, before, data, given);
  });
}
