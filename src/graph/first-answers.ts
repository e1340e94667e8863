import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { withFirstAnswer } from '../write/first-answer.ts';
import type { IdempotencyRecordKey } from '../write/idempotency.ts';
import type { Context } from './context.ts';

/** How a mutation finds the answer of the first call with its key. */
export interface StoredAnswer {
  /** The operation under which it is stored. The name of the field if left out. */
  operation?: string;
  /** What the field returns of what is stored. The same if left out. */
  answerOf?(stored: unknown, context: Context): unknown;
}

/**
 * Lets the stored call decide for every mutation: one that is refused, for whatever it has read, returns the first answer
 * of its key if there is one. It is around everything else that a field does, its scopes and limits too.
 */
export const firstAnswersName = 'firstAnswers' as const;

declare global {
  // Pothos finds the types of its plugins in this namespace.
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      firstAnswers: FirstAnswers<Types>;
    }
    export interface FieldOptions {
      /** Of a mutation: how the answer of its first call is found, if not under its name and as it is. */
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
    const { operation = name, answerOf = (stored) => stored }: StoredAnswer = pothosOptions.storedAnswer ?? {};
    return (parent, args, given, info) => {
      const context = given as Context; // the builder's
      const run = () => resolve(parent, args, given, info);
      if (!(context.idempotency ?? context.idempotencyOfUser)) return run();
      context.keyedOperation = operation;
      return withFirstAnswer(context, keyOfMutation(context), run, (stored) => {
        context.retryAfterS = null;
        return answerOf(stored, context);
      });
    };
  }
}

/** The key of the call of the mutation that runs; null if it has none. */
export function keyOfMutation({
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

SchemaBuilder.registerPlugin(firstAnswersName, FirstAnswers);
