import { tenantOf } from '../auth/tenancy.ts';
import type { Env } from '../env.ts';
import type { Prisma, ProcessingAccount, Processor } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { invalid, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import { write, type Write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import { sealSecrets } from './connection.ts';
import { isConnected, type OptionChanges, optionChanges, type ProcessorType } from './options.ts';
import type { CreateProcessorInput, ProcessorFilters, UpdateProcessorInput } from './schema.ts';

export { connectionTo, openConnection } from './connection.ts';
export { type ChosenProcessor, firstUsable, usableSql } from './usable.ts';

/** A processor as it may be shown: of its secrets the names. */
export type ProcessorRow = Omit<Processor, 'secrets'> & { secretOptions: string[] };

interface NewProcessor {
  name: string;
  type: ProcessorType;
  supportedCurrencies?: string[];
  enabled?: boolean;
  options?: Record<string, unknown>;
}

/** Adds a processor connection to an account within a change that is under way. */
export async function addProcessor(
  env: Pick<Env, 'config'>,
  { tx, now, audit }: Write,
  account: Pick<ProcessingAccount, 'id' | 'partnerId' | 'mode'>,
  { options = {}, ...input }: NewProcessor,
): Promise<ProcessorRow> {
  const { id: platformAccountId, partnerId, mode } = account;
  const id = newId('processor', now);
  const given = optionChanges(input.type, mode as Mode, options); // its account's, which a CHECK constraint holds to the two
  const plain = {
    id,
    partnerId,
    platformAccountId,
    mode,
    supportedCurrencies: [],
    ...input,
    options: given.options as Prisma.InputJsonObject,
  }; // came as JSON
  const processor = await tx.processor.create({
    data: {
      ...plain,
      secrets: sealSecrets(env.config, id, given.secrets),
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
  return shown(processor);
}

const processorList: ListDefinition<typeof ProcessorFilters.$inferInput> = {
  table: 'processors',
  extra: {
    columns: 'NULL AS secrets, ARRAY(SELECT jsonb_object_keys(t.secrets) ORDER BY 1) AS "secretOptions"',
    joins: '',
  },
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { type: oneOf('type'), enabled: is('enabled') },
  counted: true,
};

export function listProcessors(
  context: KeyContext,
  args: ListArguments<typeof ProcessorFilters.$inferInput>,
): Promise<Page<ProcessorRow>> {
  return readList(context.env.pool, context.caller, processorList, args);
}

/** Adds a processor connection to the account; a partner key names a store of it. */
export async function createProcessor(
  context: KeyContext,
  input: typeof CreateProcessorInput.$inferInput,
): Promise<ProcessorRow> {
  const { caller } = context;
  // Its approvals move no money: in live mode they would be lies.
  if (caller.mode === 'live' && input.type === 'test') throw invalid('type', 'must not be test in live mode');
  const { name, type, enabled } = input;
  optionChanges(type, caller.mode, input.options ?? {});
  const account = await accountOf(context, input.storeId);
  return write(context, 'createProcessor', (change) =>
    addProcessor(context.env, change, account, {
      name,
      type,
      enabled,
      supportedCurrencies: [...new Set(input.supportedCurrencies ?? [])],
      options: input.options ?? {},
    }),
  );
}

/** Changes what is named; of the options, too. */
export async function updateProcessor(
  context: KeyContext,
  processorId: string,
  input: typeof UpdateProcessorInput.$inferInput,
): Promise<ProcessorRow> {
  for (const field of ['name', 'enabled', 'options'] as const)
    if (input[field] === null) throw invalid(field, 'must not be null: leave it out instead');
  return write(context, 'updateProcessor', async (change) => {
    const before = await lockProcessor(context, change, processorId);
    const { name, enabled, supportedCurrencies, options } = input;
    const given = optionChanges(before.type as ProcessorType, context.caller.mode, options ?? {}); // a CHECK constraint holds the column to the types
    const data = {
      ...(name != null && { name }),
      ...(enabled != null && { enabled }),
      ...(supportedCurrencies !== undefined && { supportedCurrencies: [...new Set(supportedCurrencies ?? [])] }),
    };
    return changeProcessor(context.env, change, before, data, given);
  });
}

/** Writes a change of a processor that was locked before, with its settings and secrets, and its audit row. */
export async function changeProcessor(
  env: Pick<Env, 'config'>,
  { tx, now, audit }: Write,
  before: Processor,
  data: { name?: string; enabled?: boolean; supportedCurrencies?: string[] },
  given: OptionChanges,
): Promise<ProcessorRow> {
  const keep = (kept: Prisma.JsonValue): Record<string, unknown> =>
    Object.fromEntries(Object.entries(kept as object).filter(([name]) => !given.removed.includes(name))); // a CHECK constraint holds both columns to objects
  const secrets = { ...keep(before.secrets), ...sealSecrets(env.config, before.id, given.secrets) };
  const options = { ...keep(before.options), ...given.options } as Prisma.InputJsonObject; // came as JSON
  const connected = isConnected(before.type as ProcessorType, Object.keys(secrets)); // as above
  const after = await tx.processor.update({
    where: { id: before.id },
    data: { ...data, options, secrets: secrets as Prisma.InputJsonObject, connected, updatedAt: now },
  });
  // A secret that is replaced leaves its name in the audit log: names alone would look as if nothing had happened.
  audit({
    action: 'updateProcessor',
    target: before.id,
    before: auditedOf(before),
    after: { ...auditedOf(after), secretsSet: Object.keys(given.secrets).sort() },
  });
  return shown(after);
}

/** The processor as the caller may see it, locked until the change is written, or 404. */
export async function lockProcessor(
  { caller }: Pick<KeyContext, 'caller'>,
  { tx }: Pick<Write, 'tx'>,
  processorId: string,
): Promise<Processor> {
  await tx.$queryRaw`SELECT id FROM processors WHERE id = ${processorId} FOR NO KEY UPDATE`;
  const processor = await tx.processor.findFirst({ where: { ...tenantOf(caller), id: processorId } });
  if (!processor) throw noSuchProcessor();
  return processor;
}

export function noSuchProcessor(): NotFound {
  return new NotFound('There is no such processor.');
}

async function accountOf(
  context: KeyContext,
  storeId: string | null | undefined,
): Promise<{ id: string; partnerId: string; mode: string }> {
  const { caller } = context;
  if (caller.kind === 'subKey' && storeId == null)
    return { id: caller.platformAccountId, partnerId: caller.partnerId, mode: caller.mode };
  const { platformAccountId: id, partnerId, mode } = await storeOf(context, storeId);
  return { id, partnerId, mode };
}

function shown({ secrets, ...processor }: Processor): ProcessorRow {
  return { ...processor, secretOptions: Object.keys(secrets as object).sort() }; // a CHECK constraint holds the column to objects
}

function auditedOf(processor: Processor): object {
  const { name, enabled, supportedCurrencies, options, connected, secretOptions } = shown(processor);
  return { name, enabled, supportedCurrencies, options, connected, secretOptions };
}
