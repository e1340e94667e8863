import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type { GraphQLField } from 'graphql';
import { refusalOf } from '../auth/refuse.ts';
import { type ScopeMap, scopesOf, type Scopes } from '../auth/scopes.ts';
import { getDatamodel } from '../generated/pothos.ts';
import type PrismaTypes from '../generated/pothos.ts';
import { invalid, NotAuthorized } from '../kit/errors.ts';
import type { KybCode, KybValue } from '../kyb/requirements.ts';
import type { Context, KeyContext, PartnerKeyContext, SessionContext } from './context.ts';
import { rootFieldGuardName } from './root-field-guard.ts';

/** Bounds of one operation, so that no query costs more than a page of pages. */
export const complexityLimits = { depth: 10, breadth: 300, complexity: 20_000 } as const;

type Text = { Input: string; Output: string };

/** What each scalar is in TypeScript, coming in and going out. `scalars.ts` says what it is on the wire. */
export type ScalarTypes = {
  Amount: { Input: number; Output: number | bigint };
  AmountOrZero: { Input: number; Output: number | bigint };
  IpAddress: Text;
  BinPrefix: Text;
  Pattern: Text;
  TtlHours: { Input: number; Output: number };
  RouteWeight: { Input: number; Output: number };
  FallbackOrder: { Input: number; Output: number };
  RetryCount: { Input: number; Output: number };
  Quantity: { Input: number; Output: number };
  SignedAmount: { Input: number; Output: number | bigint };
  Currency: Text;
  Country: Text;
  Email: Text;
  Url: Text;
  Label: Text;
  Name: Text;
  ShortText: Text;
  Tag: Text;
  PageNumber: { Input: number; Output: number };
  PageSize: { Input: number; Output: number };
  DateTime: { Input: Date; Output: Date | string };
  DateOrDateTime: Text;
  EventType: Text;
  Handle: Text;
  DateCondition: Text;
  TextCondition: Text;
  Slug: Text;
  StaffAction: Text;
  ListLimit: { Input: number; Output: number };
  ListOffset: { Input: number; Output: number };
  Metadata: { Input: JsonObject; Output: unknown };
  JSONObject: { Input: JsonObject; Output: unknown };
  PluginManifest: { Input: JsonObject; Output: unknown };
  MountAlias: Text;
  BasePath: Text;
  ConfigVersion: { Input: number; Output: number };
  KybCode: { Input: KybCode; Output: string };
  KybValue: { Input: KybValue; Output: KybValue };
};

interface SchemaTypes {
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultAuthStrategy: 'all';
  DefaultFieldNullability: false;
  AuthScopes: Scopes;
  AuthContexts: {
    key: KeyContext;
    partnerKey: PartnerKeyContext;
    testKey: KeyContext;
    session: SessionContext;
    superadmin: SessionContext;
    hub: SessionContext;
    platformStaff: SessionContext;
    roster: SessionContext;
    directory: SessionContext;
  };
  Scalars: ScalarTypes;
}

/** The builder's types with Pothos's own defaults filled in. */
export type BuilderTypes = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

/**
 * The one schema builder. Importing a domain's `schema.ts` adds that domain's types and root fields to it;
 * `graph/schema.ts` imports them all.
 */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [rootFieldGuardName, ComplexityPlugin, ScopeAuthPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.env.prisma, dmmf: getDatamodel(), onUnusedQuery: null },
  complexity: {
    limit: ({ freeForm }) => (freeForm ? complexityLimits : {}),
    defaultComplexity: 1,
    defaultListMultiplier: 5,
    complexityError: (kind, { depth, breadth, complexity }) =>
      invalid(
        'query',
        `is too large (${kind.toLowerCase()}): depth ${depth} of at most ${complexityLimits.depth}, breadth ${breadth} of ${complexityLimits.breadth}, cost ${complexity} of ${complexityLimits.complexity}`,
      ),
  },
  scopeAuth: {
    defaultStrategy: 'all',
    treatErrorsAsUnauthorized: false,
    authScopes: (context) => scopesOf(context.caller),
    // The doors have asked before; this is the second net, so it must refuse whatever they would say.
    unauthorizedError: (_parent, { caller }, { parentType, fieldName }) =>
      refusalOf(scopesOfField(parentType.getFields()[fieldName]), caller, parentType.name === 'Mutation') ??
      new NotAuthorized(),
  },
});

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed. Each field is one transaction.' });

/** The scopes of a root field. The guard has seen to it that each has a map of them. */
export function scopesOfField(field: GraphQLField<unknown, unknown> | undefined): ScopeMap {
  const options: unknown = field?.extensions['pothosOptions'];
  return (options as { authScopes?: ScopeMap } | undefined)?.authScopes ?? {}; // what the builder was given, by way of Pothos
}

export type JsonObject = { [key: string]: unknown };
