import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { withFirstAnswer } from '../write/first-answer.ts';
import { answerOperation, type IdempotencyRecordKey } from '../write/idempotency.ts';
import { inSteps } from '../write/in-steps.ts';
import type { Context } from './context.ts';

/** How a mutation finds the answer of the first call with its key. */
export interface StoredAnswer {
  /** The operation under which it is stored. The name of the field if left out. */
  operation?: string;
  /** What the field returns of what is stored. The same if left out. */
  answerOf?(stored: unknown, context: Context): unknown;
  /**
   * Whether what the field returns is stored whole, under the key of the person who calls it, when all of its changes have
   * ended. Each change is stored under the key too, so that a repeat after a crash makes none of them twice.
   */
  isWhole?: boolean;
  /** The part of an answer stored whole that a repeat returns: a secret is shown once. All of it if left out. */
  forReplay?(answer: unknown): unknown;
}

/** For what people change beside the objects of an account: partners, staff, users, keys, accounts, KYB. */
export const storedWhole: StoredAnswer = { isWhole: true };

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
    const storedAnswer: StoredAnswer = pothosOptions.storedAnswer ?? {};
    const { operation = name, answerOf = (stored) => stored, isWhole = false } = storedAnswer;
    return (parent, args, given, info) => {
      const context = given as Context; // the builder's
      const run = () => resolve(parent, args, given, info);
      if (!(context.idempotency ?? context.idempotencyOfUser)) return run();
      context.keyedOperation = isWhole ? answerOperation(operation) : operation;
      if (isWhole) return answeredWhole(context, run, storedAnswer);
      return withFirstAnswer(context, keyOfMutation(context), run, (stored) => {
        context.retryAfterS = null;
        return answerOf(stored, context);
      });
    };
  }
}

async function answeredWhole(context: Context, run: () => unknown, { forReplay }: StoredAnswer): Promise<unknown> {
  const recordKey = keyOfMutation(context);
  // A call with a key has one mutation: nothing else runs in this context meanwhile.
  context.idempotency = context.idempotencyOfUser;
  try {
    return await inSteps(context, recordKey, async () => run(), { forReplay });
  } finally {
    context.idempotency = null;
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
