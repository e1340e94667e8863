import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { RequestCache } from '@pothos/plugin-scope-auth';
import type { GraphQLField, GraphQLFieldResolver } from 'graphql';
import { isApiKey } from '../auth/caller.ts';
import { areScopes } from '../auth/scopes.ts';
import type { Context } from '../call/context.ts';
import { InvalidInput } from '../lib/errors.ts';
import { answerOperation, findFirstCall, type IdempotencyRecordKey, withReplay } from '../unit-of-work/idempotency.ts';
import { runMultiStepCall } from '../unit-of-work/multi-step-call.ts';
import { recordRefusal } from '../unit-of-work/refusals.ts';
import type { BuilderTypes } from './builder.ts';
import { brokenRules } from './input/rules.ts';

/** How a mutation finds the answer of the first call with its key. */
export interface StoredAnswer {
  /** The operation under which it is stored. Default: the name of the field. */
  operation?: string;
  /** Makes the field's result from the stored answer. Default: the stored answer itself. */
  answerOf?(stored: unknown, context: Context): unknown;
  /**
   * Whether the field's result is stored whole, under the key of the user who calls it, when all of its changes have
   * ended. Each change is stored under the key as well, so that a repeat after a crash makes none of them twice.
   */
  isWhole?: boolean;
  /** The part of an answer stored whole that a repeat returns: a secret is returned once. Default: all of it. */
  forReplay?(answer: unknown): unknown;
}

/** For changes that users make outside of the objects of an account: partners, staff, users, keys, accounts, KYB. */
export const storesWholeAnswer: StoredAnswer = { isWhole: true };

/**
 * Gives the stored answer precedence in every mutation: a call that is rejected, because of anything that it has read,
 * returns the first answer of its key if there is one. This plugin wraps everything else that a field does, including
 * scopes and limits.
 */
export const firstAnswersName = 'firstAnswers' as const;

declare global {
  // Pothos finds the types of its plugins in this namespace.
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      firstAnswers: FirstAnswers<Types>;
    }
    export interface FieldOptions {
      /** Of a mutation: how the answer of its first call is found. Default: under its name, returned unchanged. */
      storedAnswer?: StoredAnswer;
    }
  }
}

class FirstAnswers<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { parentType, name, pothosOptions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (parentType !== 'Mutation') return resolve;
    const storedAnswer: StoredAnswer = pothosOptions.storedAnswer ?? {};
    const { operation = name, answerOf = (stored) => stored, isWhole = false } = storedAnswer;
    return (parent, args, given, info) => {
      const context = given as Context; // the builder's
      if (!(context.idempotency ?? context.idempotencyOfUser)) return resolve(parent, args, context, info);
      const keyed: Context = {
        ...context,
        ...(isWhole && { idempotency: context.idempotencyOfUser }),
        keyedOperation: isWhole ? answerOperation(operation) : operation,
      };
      const recordKey = keyOfMutation(keyed);
      const run = async () => {
        try {
          return await resolve(parent, args, keyed, info);
        } finally {
          endOperation(keyed);
        }
      };
      if (isWhole) return runMultiStepCall(keyed, recordKey, run, storedAnswer);
      return withReplay(keyed, recordKey, run, (stored) => {
        context.answer.retryAfterS = null;
        return answerOf(stored, context);
      });
    };
  }
}

/** The key of the call of the mutation in progress; null if it has none. */
function keyOfMutation({
  idempotency,
  idempotencyOfUser,
  keyedOperation,
  services,
}: Context): IdempotencyRecordKey | null {
  const owned = idempotency ?? idempotencyOfUser;
  return owned && keyedOperation !== undefined
    ? { ...owned, operation: keyedOperation, at: services.clock.real() }
    : null;
}

/** Records a rejected mutation. A repeat that gets the answer of its first call was not rejected. */
export async function recordUnlessRepeat(
  context: Context,
  attempt: Parameters<typeof recordRefusal>[1],
  error: unknown,
): Promise<void> {
  const key = keyOfMutation(context);
  const isAnswered = key !== null && (await findFirstCall(context.services.pool, key, error)) !== null;
  if (!isAnswered) await recordRefusal(context, attempt, error);
}

SchemaBuilder.registerPlugin(firstAnswersName, FirstAnswers);

/**
 * Enforces the rules of inputs for the arguments of every field, after its scopes, and rejects a schema in which a root
 * field has no scopes, or a field with scopes is not nullable. Root fields are nullable, so that one that fails does not
 * null the others of its operation.
 */
export const fieldGuardName = 'fieldGuard' as const;

declare global {
  // Pothos finds the types of its plugins in this namespace.
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      fieldGuard: FieldGuard<Types>;
    }
    export interface FieldOptions {
      /** Of a field for keys and people: what people read after the description, which REST shows alone. */
      forPeople?: string;
    }
  }
}

/** The extension of a field with its description in REST, if it is another one. */
const restDescription = 'restDescription';

export function restDescriptionOf({
  description,
  extensions,
}: GraphQLField<unknown, unknown>): string | null | undefined {
  const own: unknown = extensions[restDescription];
  return typeof own === 'string' ? own : description;
}

class FieldGuard<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { authScopes: scopes, forPeople }: { authScopes?: unknown; forPeople?: string } = config.pothosOptions;
    const shown = {
      ...config,
      ...(forPeople !== undefined && {
        description: `${config.description} ${forPeople}`,
        extensions: { ...config.extensions, [restDescription]: config.description },
      }),
    };
    if (['Query', 'Mutation', 'Subscription'].includes(config.parentType)) {
      if (!areScopes(scopes))
        throw new Error(
          `${config.parentType}.${config.name} needs static authScopes, such as { key: true } or { $any: { key: true, ` +
            `directory: true } }; found ${JSON.stringify(scopes)}.`,
        );
      if (!config.description)
        throw new Error(`${config.parentType}.${config.name} needs a description: it is the public reference.`);
      return { ...shown, type: { ...config.type, nullable: true } };
    }
    if (scopes !== undefined && !(areScopes(scopes) && config.type.nullable))
      throw new Error(
        `${config.parentType}.${config.name} has authScopes: they must be static, and the field nullable, since a caller ` +
          `without them gets null and an error; found ${JSON.stringify(scopes)}.`,
      );
    return shown;
  }

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { args }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (Object.keys(args).length === 0) return resolve;
    return (parent, given, context, info) => {
      const { caller } = context as Context; // the builder's
      const args = info.parentType.getFields()[info.fieldName]?.args ?? [];
      const issues = brokenRules(args, { ...given }, isApiKey(caller) && caller.tenant.mode === 'live');
      if (issues.length > 0) throw new InvalidInput(issues);
      return resolve(parent, given, context, info);
    };
  }
}

SchemaBuilder.registerPlugin(fieldGuardName, FieldGuard);

/**
 * Deletes what scope-auth caches for an operation that has ended: a WeakMap by the context, whose values refer to the
 * context. A garbage collection of young objects treats all values of a WeakMap as reachable, so without this each
 * operation would stay in memory until a full collection.
 */
export function endOperation(context: Context): void {
  RequestCache.clearForContext<BuilderTypes>(context);
}
