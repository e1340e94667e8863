import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { isSession } from '../auth/caller.ts';
import { assertFreshSecondFactor } from '../auth/second-factor.ts';
import type { Context } from '../call/context.ts';
import { recordRefusal } from '../unit-of-work/refusals.ts';
import { recordUnlessRepeat } from './plugins.ts';

/** Refuses fields that give the most power to people whose second factor was verified too long ago: 403. */
export const freshSecondFactorName = 'freshSecondFactor' as const;

declare global {
  // Pothos finds the types of its plugins in this namespace.
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      freshSecondFactor: FreshSecondFactor<Types>;
    }
    export interface FieldOptions {
      /**
       * Whether people must have verified a second factor in the last ten minutes, where the settings require one. It is
       * checked after scopes, before anything is read or changed.
       */
      freshSecondFactor?: true;
    }
  }
}

class FreshSecondFactor<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (!config.pothosOptions.freshSecondFactor) return config;
    return {
      ...config,
      description: `${config.description} ${described}`,
      extensions: { ...config.extensions, [freshSecondFactorName]: true },
    };
  }

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { pothosOptions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (!pothosOptions.freshSecondFactor) return resolve;
    // A repeat whose answer was stored whole does not come here.
    const record = pothosOptions.storedAnswer?.isWhole ? recordRefusal : recordUnlessRepeat;
    return async (parent, args, given, info) => {
      const context = given as Context; // the builder's
      try {
        if (isSession(context.caller)) assertFreshSecondFactor(context.services, context.caller);
      } catch (refusal) {
        await record(context, { action: info.fieldName, target: null }, refusal);
        throw refusal;
      }
      return resolve(parent, args, given, info);
    };
  }
}

const described =
  'Where people need a second factor, 403 `second_factor_too_old` unless it was verified in the last ten minutes.';

SchemaBuilder.registerPlugin(freshSecondFactorName, FreshSecondFactor);
