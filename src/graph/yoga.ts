import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  validate,
} from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { takeTokens } from '../auth/buckets.ts';
import { isApiKey } from '../auth/caller.ts';
import { mayBeRepeat, refusalOf } from '../auth/refuse.ts';
import type { Context } from '../call/context.ts';
import { InvalidInput, RateLimited, unavailableRetryAfterS } from '../lib/errors.ts';
import { Recent } from '../lib/recent.ts';
import { countCalls } from '../limits/windows.ts';
import type { Services } from '../services.ts';
import { recordRefusal } from '../unit-of-work/refusals.ts';
import { tooComplex } from './bounds/complexity.ts';
import { readDocument, tooManyRootFields } from './bounds/document.ts';
import { tooMuchOfSchema } from './bounds/introspection.ts';
import { operationOf, rootFieldsOf } from './bounds/selections.ts';
import { scopesOfField } from './builder.ts';
import { type FailedCall, toGraphQLError } from './errors.ts';
import { isJsonObject, issuesMax, issuesOfPlan, literalIssues, planVariables } from './input/check.ts';
import { listLengthRule } from './input/rules.ts';
import { withWrittenAmounts, writtenAmountIssues } from './input/written-amounts.ts';
import { endOperation } from './plugins.ts';

export interface ServerContext {
  context: Context;
  /** Called with the result that is sent, for the access log. */
  noteResult(result: NotedResult): void;
}

export interface NotedResult {
  data?: unknown;
  errors?: readonly { extensions?: Readonly<Record<string, unknown>> }[];
}

/**
 * The parsed documents in the cache take about 100 MiB at most: one takes some hundred times the memory of its text, and
 * any client may send any number of different ones.
 */
const cachedCharactersMax = 200_000;

const validationErrorsMax = 10;

/** The graph over HTTP (GraphQL over HTTP specification). */
export function createGraphQLServer(
  services: Services,
  schema: GraphQLSchema,
): YogaServerInstance<ServerContext, Context> {
  return createYoga<ServerContext, Context>({
    schema,
    context: ({ context }) => context,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    cors: false,
    logging: false,
    batching: false,
    maskedErrors: { maskError: (error) => toGraphQLError(services, error) },
    graphiql: false,
    plugins: [guard(services)],
    parserAndValidationCache: {
      documentCache: new Recent(cachedCharactersMax, ({ length }) => length),
      errorCache: new Recent(cachedCharactersMax, ({ length }) => length),
    },
  });
}

/** Checks before an operation runs: first the kind of caller, then the input (docs/errors-and-limits.md, 5). */
function guard(services: Services): Plugin<Context & ServerContext, ServerContext> {
  return {
    onParse: ({ setParseFn }) => setParseFn((source, options) => readDocument(source, options)),
    onValidate: ({ addValidationRule, setValidationFn }) => {
      // The search for similar names takes most of the time of a validation error.
      setValidationFn((...given) => validate(given[0], given[1], given[2], { maxErrors: validationErrorsMax }));
      addValidationRule(listLengthRule);
      if (!services.config.graphqlIntrospection) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onExecute: async ({ args, setResultAndStopExecution }) => {
      const given = args.contextValue;
      given.answer.isRead = operationOf(args.document, args.operationName)?.operation === 'query';
      const refusal = await refusalOfOperation(
        args.schema,
        args.document,
        args.operationName,
        args.variableValues ?? {},
        given,
      );
      if (refusal) {
        setResultAndStopExecution({ errors: [toGraphQLError(services, refusal)] });
        return undefined;
      }
      return {
        onExecuteDone({ result, setResult }) {
          endOperation(given);
          if ('errors' in result && result.errors) {
            const call = failedCallOf(given);
            const errors = result.errors.map((error) => toGraphQLError(services, error, call));
            given.answer.retryAfterS ??= retryAfterOf(errors);
            setResult({ ...result, errors });
          }
        },
      };
    },
    // Errors from before the operation (syntax, unknown fields) get their public codes here.
    onResultProcess: ({ result, setResult, serverContext }) => {
      if (!('errors' in result && result.errors)) return serverContext.noteResult('data' in result ? result : {});
      const answered = { ...result, errors: result.errors.map((error) => toGraphQLError(services, error)) };
      serverContext.noteResult(answered);
      setResult(answered);
    },
  };
}

function failedCallOf({ answer, idempotency, idempotencyOfUser }: Context): FailedCall {
  return {
    effect: answer.isRead ? 'none' : 'unknown',
    hasKey: (idempotency ?? idempotencyOfUser) !== null,
  };
}

/** The `Retry-After` of an answer with a 503 error; null for other answers. */
function retryAfterOf(errors: readonly GraphQLError[]): number | null {
  const away = errors.find(({ extensions }) => extensions['code'] === 'SERVICE_UNAVAILABLE');
  return away ? unavailableRetryAfterS : null;
}

async function refusalOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Record<string, unknown>,
  context: Context,
): Promise<Error | undefined> {
  const operation = operationOf(document, operationName);
  // GraphQL itself rejects an unknown operation.
  if (!operation) return undefined;
  const roots = rootFieldsOf(operation, document);
  const fields = roots.map(({ field }) => field.name.value);
  const tooMany = tooManyRootFields(operation, fields);
  if (tooMany) return new InvalidInput([tooMany]);
  const limited = await chargeFields(context, fields.length);
  if (limited) return limited;
  const type = schema.getRootType(operation.operation);
  const hasKey = (context.idempotency ?? context.idempotencyOfUser) !== null && operation.operation === 'mutation';
  let heldRefusal: Error | undefined;
  for (const name of fields) {
    const field = type?.getFields()[name];
    // Introspection fields (`__schema`, `__typename`) are open to every caller.
    if (!field) continue;
    const refusal = refusalOf(scopesOfField(field), context.caller, operation.operation === 'mutation');
    if (!refusal) continue;
    if (mayBeRepeat(scopesOfField(field), context.caller, hasKey)) {
      heldRefusal ??= refusal;
      continue;
    }
    if (operation.operation === 'mutation' && context.caller.kind === 'session')
      await recordRefusal(context, { action: name, target: null }, refusal);
    return refusal;
  }
  if (hasKey && fields.length !== 1) {
    return (
      heldRefusal ??
      new InvalidInput([
        { path: 'query', message: 'must contain exactly one mutation field when an Idempotency-Key is sent' },
      ])
    );
  }
  const plan = planVariables(schema, operation.variableDefinitions ?? []);
  const issues = [
    ...literalIssues(document),
    ...withWrittenAmounts(
      issuesOfPlan(plan, variables),
      writtenAmountIssues(plan, context.bodyText, (body) => (isJsonObject(body['variables']) ? body['variables'] : {})),
    ),
  ].slice(0, issuesMax);
  if (issues.length > 0) return heldRefusal ?? new InvalidInput(issues);
  const tooMuch =
    tooComplex(schema, document, operation, roots, variables, context) ??
    tooMuchOfSchema(schema, operation, roots, variables);
  return tooMuch && new InvalidInput([tooMuch]);
}

/** The first root field was counted by authentication, as for a REST call. */
async function chargeFields(context: Context, fields: number): Promise<RateLimited | undefined> {
  const { services, caller } = context;
  if (fields <= 1) return undefined;
  try {
    if (isApiKey(caller)) context.answer.rateHeaders = await takeTokens(services, caller.tenant, fields);
    else if (caller.kind === 'session') await countCalls(services, caller, fields - 1);
    return undefined;
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
    context.answer.rateHeaders = error.headers;
    return error;
  }
}
