import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { type GraphQLField, type GraphQLOutputType, getNamedType, getNullableType, isListType } from 'graphql';
import { refusalOf } from '../auth/refuse.ts';
import { type ScopeMap, type Scopes, scopesOf } from '../auth/scopes.ts';
import type { Context, KeyContext, PartnerKeyContext, SessionContext } from '../call/context.ts';
import type { SqlRow } from '../database/sql.ts';
import type PrismaTypes from '../generated/pothos.ts';
import { getDatamodel } from '../generated/pothos.ts';
import { NotAuthorized } from '../lib/errors.ts';
import { fieldLimitsName } from './field-limits.ts';
import { freshSecondFactorName } from './fresh-second-factor.ts';
import { fieldGuardName, firstAnswersName } from './plugins.ts';
import type { ScalarTypes } from './scalars/define-scalar.ts';

/** The JSON that clients store has up to some ten kilobytes, which are read, checked and written for each item. */
const jsonComplexity = 80;

function isJson(type: GraphQLOutputType): boolean {
  const schema: unknown = getNamedType(type).extensions['jsonSchema'];
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'object';
}

/** Columns that no resolver reads. Queries leave them out. */
type Secret = 'secret' | 'previousSecret' | 'secrets' | 'secretHash';

/** The rows of objects, read by Prisma or by SQL. */
type RowTypes = {
  [Model in keyof PrismaTypes]: Omit<PrismaTypes[Model], 'Shape'> & {
    Shape: SqlRow<Omit<PrismaTypes[Model]['Shape'], Secret>>;
  };
};

interface SchemaTypes {
  Context: Context;
  PrismaTypes: RowTypes;
  DefaultAuthStrategy: 'all';
  DefaultFieldNullability: false;
  AuthScopes: Scopes;
  AuthContexts: {
    key: KeyContext;
    partnerKey: PartnerKeyContext;
    testKey: KeyContext;
    suspendedKey: KeyContext;
    suspendedPartnerKey: PartnerKeyContext;
    suspendedTestKey: KeyContext;
    session: SessionContext;
    superadmin: SessionContext;
    hub: SessionContext;
    platformStaff: SessionContext;
    admin: SessionContext;
    auditor: SessionContext;
    directory: SessionContext;
  };
  Scalars: { [Name in keyof ScalarTypes]: ScalarTypes[Name] };
}

/** The builder's types with Pothos's own defaults filled in. */
export type BuilderTypes = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

/**
 * The schema builder. Importing a domain's `schema.ts` adds its types and root fields; `src/schema.ts` assembles the
 * whole graph.
 */
export const builder = new SchemaBuilder<SchemaTypes>({
  // The first plugin wraps all others.
  plugins: [
    firstAnswersName,
    ComplexityPlugin,
    ScopeAuthPlugin,
    PrismaPlugin,
    freshSecondFactorName,
    fieldGuardName,
    fieldLimitsName,
  ],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.services.prisma, dmmf: getDatamodel(), onUnusedQuery: null },
  complexity: {
    // Only clients of /graphql write documents. They are checked before they run, by bounds/complexity.ts.
    disabled: true,
    fieldComplexity: (_args, _context, { type }) => {
      const field = isJson(type) ? jsonComplexity : 1;
      return isListType(getNullableType(type)) ? { field, multiplier: 5 } : field;
    },
  },
  scopeAuth: {
    defaultStrategy: 'all',
    treatErrorsAsUnauthorized: false,
    authScopes: (context) => scopesOf(context.caller),
    // Both surfaces have checked the caller before. This second check applies if they did not.
    unauthorizedError: (_parent, { caller }, { parentType, fieldName }) =>
      refusalOf(scopesOfField(parentType.getFields()[fieldName]), caller, parentType.name === 'Mutation') ??
      new NotAuthorized(),
  },
});

const failing = 'A field that fails is null, and `errors` contains its error; the other fields have their values.';
builder.queryType({ description: `The operations that read. They change nothing. ${failing}` });
builder.mutationType({
  description: `The operations that change data. Each field is one database transaction. ${failing}`,
});

/** The scopes of a root field. The field guard ensures that every root field has them. */
export function scopesOfField(field: GraphQLField<unknown, unknown> | undefined): ScopeMap {
  const options: unknown = field?.extensions['pothosOptions'];
  // Pothos stores the options of the field here
  return (options as { authScopes?: ScopeMap } | undefined)?.authScopes ?? {};
}

export type JsonObject = { [key: string]: unknown };
