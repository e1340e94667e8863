import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { scopesOf, type Scopes } from '../auth/scopes.ts';
import { isApiKey } from '../auth/caller.ts';
import { getDatamodel } from '../generated/pothos.ts';
import type PrismaTypes from '../generated/pothos.ts';
import { Forbidden, invalid, NotAuthorized } from '../kit/errors.ts';
import type { Context, KeyContext, PartnerKeyContext } from './context.ts';
import { rootFieldGuardName } from './root-field-guard.ts';

/** Bounds of one operation, so that no query costs more than a page of pages. */
export const complexityLimits = { depth: 10, breadth: 300, complexity: 20_000 } as const;

type Text = { Input: string; Output: string };

/** What each scalar is in TypeScript, coming in and going out. `scalars.ts` says what it is on the wire. */
export type ScalarTypes = {
  Amount: { Input: number; Output: number | bigint };
  IpAddress: Text;
  BinPrefix: Text;
  Pattern: Text;
  TtlHours: { Input: number; Output: number };
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
  DateCondition: Text;
  TextCondition: Text;
  Metadata: { Input: JsonObject; Output: unknown };
  JSONObject: { Input: JsonObject; Output: unknown };
};

interface SchemaTypes {
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultAuthStrategy: 'all';
  DefaultFieldNullability: false;
  AuthScopes: Scopes;
  AuthContexts: { key: KeyContext; partnerKey: PartnerKeyContext };
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
      invalid('query', `is too large (${kind.toLowerCase()}): depth ${depth} of at most ${complexityLimits.depth}, breadth ${breadth} of ${complexityLimits.breadth}, cost ${complexity} of ${complexityLimits.complexity}`),
  },
  scopeAuth: {
    defaultStrategy: 'all',
    treatErrorsAsUnauthorized: false,
    authScopes: (context) => scopesOf(context.caller),
    unauthorizedError: (_parent, context) => deniedTo(context),
  },
});

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed. Each field is one transaction.' });

/** 401 for nobody in particular, 403 for a known caller of the wrong kind. */
export function deniedTo(context: Pick<Context, 'caller'>): Error {
  if (!isApiKey(context.caller)) return new NotAuthorized();
  return new Forbidden(
    'forbidden_scope',
    context.caller.kind === 'subKey' ? 'A sub-key cannot do this: it takes a partner key.' : 'A partner key cannot do this.',
  );
}

export type JsonObject = { [key: string]: unknown };
