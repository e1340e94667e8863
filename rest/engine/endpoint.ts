import { join } from 'node:path';
import {
  type ExecutionResult,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  visit,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { type OwnScopes, scopesFor } from '../../src/auth/scopes.ts';
import type { Context } from '../../src/call/context.ts';
import { scopesOfField } from '../../src/graph/builder.ts';
import { planVariables, type VariablePlan } from '../../src/graph/input/check.ts';
import {
  type EndpointDocument,
  readDocumentFiles,
  readDocuments,
  refuse,
  restSchema,
  toDocument,
  withoutRestDirectives,
} from './document.ts';
import { type Surface, surfaces } from './surfaces.ts';
import { type OmitPlan, planOmissions } from './variables.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One endpoint, with everything that is computed before the first request. */
export interface Endpoint {
  document: EndpointDocument;
  /** The name of the operation, which is its `operationId` in OpenAPI. */
  name: string;
  method: Method;
  path: string;
  isMutation: boolean;
  /** Whether it says if a change would be permitted. A caller who may not even ask gets an error. */
  isProbe: boolean;
  /** The endpoint that makes charges, for which callers may mistake this list, with the fields of its body. */
  chargesAt: { path: string; fields: ReadonlySet<string> } | null;
  rootField: string;
  field: GraphQLField<unknown, unknown>;
  fieldNode: FieldNode;
  /** The permissions that the root field requires of the callers of the surface. */
  scopes: OwnScopes;
  /** The key of the root field in the result. */
  responseKey: string;
  pathParams: readonly string[];
  body: BodyPlan;
  /** The query parameters. Only methods without a body have them. */
  queryParams: readonly VariablePlan[];
  variables: readonly VariablePlan[];
  omissions: OmitPlan | null;
  execute(context: Context, variables: Record<string, unknown>): Promise<ExecutionResult> | ExecutionResult;
}

interface BodyPlan {
  /** The variable that contains the whole body. Null if each variable is one field of the body. */
  wholeAs: string | null;
  /** The known top-level fields. Writes reject other fields; reads ignore them and list them in `Ignored-Fields`. */
  fields: ReadonlySet<string>;
}

const loaded = new WeakMap<GraphQLSchema, Map<string, readonly Endpoint[]>>();

/**
 * The endpoints of a surface's documents, which are read and planned once for a schema. Throws if a document is invalid,
 * which stops the start.
 */
export function loadEndpoints(schema: GraphQLSchema, surface: Surface['name']): readonly Endpoint[] {
  const ofSchema = loaded.get(schema) ?? new Map<string, readonly Endpoint[]>();
  loaded.set(schema, ofSchema);
  const endpoints = ofSchema.get(surface) ?? readEndpoints(schema, surface);
  ofSchema.set(surface, endpoints);
  return endpoints;
}

function readEndpoints(schema: GraphQLSchema, surface: Surface['name']): Endpoint[] {
  const { credential } = surfaces[surface];
  const files = readDocumentFiles(join(import.meta.dirname, '..', surface));
  const endpoints = readDocuments(schema, files).map((document) => compileEndpoint(schema, document, credential));
  return endpoints.map((endpoint) => ({ ...endpoint, chargesAt: chargesAtOf(endpoint, endpoints) }));
}

function chargesAtOf({ document }: Endpoint, all: readonly Endpoint[]): Endpoint['chargesAt'] {
  const { chargesAt } = restOf(document);
  if (chargesAt === undefined) return null;
  const { body } =
    all.find(({ path, isMutation }) => path === chargesAt && isMutation) ??
    refuse(document.source, `there is no endpoint ${chargesAt} that makes changes.`);
  return { path: chargesAt, fields: body.fields };
}

export function compileEndpoint(
  graph: GraphQLSchema,
  document: EndpointDocument,
  credential: Surface['credential'],
): Endpoint {
  const schema = restSchema(graph);
  const { source, name, operation } = document;
  const { method, path } = restOf(document);
  const { fieldNode, field } = rootFieldOf(schema, document);
  const pathParams = path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []));
  const variables = planVariables(schema, operation.variableDefinitions ?? []);
  assertVariablesWellPlaced(document, variables);
  const scopes = scopesFor(scopesOfField(field), credential === 'apiKey');
  if (Object.keys(scopes).length === 0)
    refuse(source, `the root field ${field.name} is not open to the callers of this surface.`);
  let query: CompiledQuery['query'] | undefined;
  return {
    document,
    name,
    method,
    path,
    isMutation: operation.operation === 'mutation',
    isProbe: getNamedType(field.type).name === 'Permission',
    chargesAt: null,
    rootField: fieldNode.name.value,
    field,
    fieldNode,
    scopes,
    responseKey: (fieldNode.alias ?? fieldNode.name).value,
    pathParams,
    body: bodyPlan(variables, document, method, pathParams),
    queryParams: takesBody(method) ? [] : queryPlan(source, variables, pathParams),
    variables,
    omissions: planOmissions(schema, document, field, fieldNode),
    // Compiled on the first request: compiling every endpoint would take a third of the start. The document has been
    // validated above.
    execute: (context, variables) => (query ??= compile(schema, document))(undefined, context, variables),
  };
}

/** Throws if the compiler does not support a valid document. A test compiles every document of the repository. */
export function compile(graph: GraphQLSchema, document: EndpointDocument): CompiledQuery['query'] {
  // Strings, numbers and enums are not checked again, since TypeScript has checked their types: the check would take an
  // eighth of a page's memory.
  const compiled = compileQuery(restSchema(graph), withoutRestDirectives(toDocument(document)), document.name, {
    disableLeafSerialization: true,
  });
  if (!isCompiledQuery(compiled))
    return refuse(
      document.source,
      `cannot be compiled: ${(compiled.errors ?? []).map((error) => error.message).join(' ')}`,
    );
  return compiled.query;
}

function restOf({ source, operation }: EndpointDocument): { method: Method; path: string; chargesAt?: string } {
  const directive = operation.directives?.find((node) => node.name.value === 'rest');
  const values = new Map(directive?.arguments?.map((argument) => [argument.name.value, argument.value]));
  const method = values.get('method');
  const path = values.get('path');
  if (method?.kind !== Kind.ENUM || path?.kind !== Kind.STRING)
    return refuse(source, 'the operation needs @rest(method: …, path: "…").');
  if (!/^(\/(:[A-Za-z]\w*|[a-z0-9][a-z0-9._-]*))+$/.test(path.value))
    refuse(source, `the path ${path.value} must consist of /literal and /:parameter.`);
  // validated against the enum RestMethod, whose values are these
  const chargesAt = values.get('chargesAt');
  return {
    method: method.value as Method,
    path: path.value,
    ...(chargesAt?.kind === Kind.STRING && { chargesAt: chargesAt.value }),
  };
}

function rootFieldOf(
  schema: GraphQLSchema,
  { source, operation }: EndpointDocument,
): { fieldNode: FieldNode; field: GraphQLField<unknown, unknown> } {
  const [fieldNode, ...others] = operation.selectionSet.selections;
  if (fieldNode?.kind !== Kind.FIELD || others.length > 0)
    return refuse(source, 'an endpoint must select exactly one root field.');
  if (operation.operation === 'subscription') refuse(source, 'an endpoint must be a query or a mutation.');
  const field = schema.getRootType(operation.operation)?.getFields()[fieldNode.name.value];
  return { fieldNode, field: field ?? refuse(source, `there is no root field ${fieldNode.name.value}.`) };
}

/**
 * graphql-jit replaces an omitted variable inside an object or list literal by null, so an omitted field would be
 * cleared. It handles an omitted variable correctly if the variable is the value of an argument.
 */
function assertVariablesWellPlaced(
  { source, operation, fragments }: EndpointDocument,
  variables: readonly VariablePlan[],
): void {
  const check = (name: string): void => {
    if (!isNonNullType(variables.find((variable) => variable.name === name)?.type))
      refuse(source, `$${name} is used inside an object or a list and must not be nullable.`);
  };
  const within = { Variable: (node: { name: { value: string } }) => check(node.name.value) };
  for (const definition of [operation, ...fragments.values()]) {
    visit(definition, {
      ObjectValue: (node) => void visit(node, within),
      ListValue: (node) => void visit(node, within),
    });
  }
}

function bodyPlan(
  variables: readonly VariablePlan[],
  { source }: EndpointDocument,
  method: Method,
  pathParams: readonly string[],
): BodyPlan {
  for (const param of pathParams) {
    const variable = variables.find(({ name }) => name === param);
    if (!variable) refuse(source, `the path contains :${param}, but there is no variable $${param}.`);
    if (!isNonNullType(variable?.type)) refuse(source, `$${param} is a path parameter and must not be nullable.`);
  }
  if (!takesBody(method)) return { wholeAs: null, fields: new Set() };
  const ofBody = variables.filter(({ name }) => !pathParams.includes(name));
  const whole = ofBody.find(({ name }) => name === 'body');
  if (!whole) return { wholeAs: null, fields: new Set(ofBody.map(({ name }) => name)) };
  const type = getNamedType(whole.type);
  if (!isInputObjectType(type) || ofBody.length > 1)
    return refuse(source, '$body is the whole body: it must be an input object, and the only variable of the body.');
  return { wholeAs: 'body', fields: new Set(Object.keys(type.getFields())) };
}

function takesBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT';
}

/** Query parameters are strings, so a variable must be an ID, a String, or a Boolean written as `true` or `false`. */
function queryPlan(source: string, variables: readonly VariablePlan[], pathParams: readonly string[]): VariablePlan[] {
  const params = variables.filter(({ name }) => !pathParams.includes(name));
  const unsupported = params.find(({ type }) => !['Boolean', 'ID', 'String'].includes(String(type)));
  if (unsupported)
    refuse(source, `$${unsupported.name} is a query parameter: its type must be Boolean, ID or String, and nullable.`);
  return params;
}
