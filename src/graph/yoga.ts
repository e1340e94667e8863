import { type DocumentNode, type GraphQLSchema, NoSchemaIntrospectionCustomRule, parse } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { refusalOf } from '../auth/refuse.ts';
import type { Env } from '../env.ts';
import { InvalidInput } from '../kit/errors.ts';
import { recordRefusal } from '../kit/refusals.ts';
import { scopesOfField } from './builder.ts';
import type { Context } from './context.ts';
import { toGraphQLError } from './errors.ts';
import { graphiqlTabs } from './graphiql-tabs.ts';
import { inputIssues, literalIssues } from './input.ts';
import { operationOf, rootFieldsOf, tokensMax } from './root-fields.ts';

export interface ServerContext {
  context: Context;
}

/** The graph over HTTP (GraphQL over HTTP specification), with GraphiQL for browsers. */
export function createGraphQLServer(env: Env, schema: GraphQLSchema): YogaServerInstance<ServerContext, Context> {
  const { config } = env;
  return createYoga<ServerContext, Context>({
    schema,
    context: ({ context }) => context,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    cors: false,
    logging: false,
    batching: false,
    maskedErrors: { maskError: (error) => toGraphQLError(env, error) },
    // The page is large: it is loaded when somebody opens it, not at every start.
    renderGraphiQL: async (options) => (await import('@graphql-yoga/render-graphiql')).renderGraphiQL(options),
    graphiql: () =>
      config.graphiql && { title: 'Partner Payments Platform', ...graphiqlTabs(config), shouldPersistHeaders: true },
    plugins: [guard(env)],
  });
}

/** What is decided before an operation runs, in the order of contract 5: kind of caller, then shape. */
function guard(env: Env): Plugin<Context & ServerContext> {
  return {
    onParse: ({ setParseFn }) => setParseFn((source, options) => parse(source, { ...options, maxTokens: tokensMax })),
    onValidate: ({ addValidationRule }) => {
      if (!env.config.graphqlIntrospection) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onExecute: async ({ args, setResultAndStopExecution }) => {
      const refusal = await refusalOfOperation(
        args.schema,
        args.document,
        args.operationName,
        args.variableValues ?? {},
        args.contextValue,
      );
      if (refusal) setResultAndStopExecution({ errors: [toGraphQLError(env, refusal)] });
      // The server copies the context for its operation; the door, which writes the headers, holds the first one.
      return {
        onExecuteDone: () => {
          const { context, replayed, retryAfterS } = args.contextValue;
          Object.assign(context, { replayed, retryAfterS });
        },
      };
    },
    // What was refused before the operation ran (syntax, unknown fields) gets the contract's codes here.
    onResultProcess: ({ result, setResult }) => {
      if ('errors' in result && result.errors)
        setResult({ ...result, errors: result.errors.map((error) => toGraphQLError(env, error)) });
    },
  };
}

async function refusalOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Record<string, unknown>,
  context: Context,
): Promise<Error | undefined> {
  const operation = operationOf(document, operationName);
  // GraphQL itself says that there is no such operation.
  if (!operation) return undefined;
  const fields = rootFieldsOf(operation, document);
  const type = schema.getRootType(operation.operation);
  for (const name of fields) {
    const field = type?.getFields()[name];
    // What is no field of ours (`__schema`, `__typename`) is open to everybody.
    if (!field) continue;
    const refusal = refusalOf(scopesOfField(field), context.caller, operation.operation === 'mutation');
    if (!refusal) continue;
    if (operation.operation === 'mutation' && context.caller.kind === 'session')
      await recordRefusal(context, { action: name, target: null }, refusal);
    return refusal;
  }
  if (context.idempotency && operation.operation === 'mutation' && fields.length !== 1) {
    return new InvalidInput([
      { path: 'query', message: 'must have exactly one mutation field when an Idempotency-Key is sent' },
    ]);
  }
  const issues = [...literalIssues(document), ...inputIssues(schema, operation.variableDefinitions ?? [], variables)];
  return issues.length > 0 ? new InvalidInput(issues) : undefined;
}
