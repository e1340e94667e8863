import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';

/**
 * Refuses to build a schema in which a root field has no scopes. Without them, or with an empty map under the strategy
 * `all`, scope-auth would let every caller in. Root fields are nullable, so that one that fails does not empty the
 * others of its operation.
 */
export const rootFieldGuardName = 'rootFieldGuard' as const;

declare global {
  // Pothos finds the types of its plugins in this namespace.
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      rootFieldGuard: RootFieldGuard<Types>;
    }
  }
}

class RootFieldGuard<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (['Query', 'Mutation', 'Subscription'].includes(config.parentType)) {
      const scopes: unknown = config.pothosOptions.authScopes;
      const names = typeof scopes === 'object' && scopes !== null ? Object.entries(scopes) : [];
      if (names.length === 0 || names.some(([, value]) => value !== true)) {
        throw new Error(
          `${config.parentType}.${config.name} needs static authScopes, such as { key: true }; found ` +
            `${JSON.stringify(scopes)}.`,
        );
      }
      if (!config.description)
        throw new Error(`${config.parentType}.${config.name} needs a description: it is the public reference.`);
      return { ...config, type: { ...config.type, nullable: true } };
    }
    return config;
  }
}

SchemaBuilder.registerPlugin(rootFieldGuardName, RootFieldGuard);
