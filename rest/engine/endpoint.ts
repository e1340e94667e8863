import {
  type ExecutionResult,
  type FieldNode,
  getNamedType,
  type GraphQLField,
  type GraphQLSchema,
  isInputObjectType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { compileQuery, type CompiledQuery, isCompiledQuery } from 'graphql-jit';
import type { ScopeMap } from '../../src/auth/scopes.ts';
import type { Context } from '../../src/graph/context.ts';
import { planVariables, type VariablePlan } from '../../src/graph/input.ts';
import {
  type EndpointDocument,
  readDocumentFiles,
  readDocuments,
  refuse,
  toDocument,
  withoutRestDirectives,
} from './document.ts';
import { type OmitPlan, planOmissions } from './omit-null.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One endpoint, with all that can be known before the first request. */
export interface Endpoint {
  document: EndpointDocument;
  /** The operation's name, which is also what OpenAPI calls it. */
  name: string;
  method: Method;
  path: string;
  isMutation: boolean;
  /** The root field it asks. */
  rootField: string;
  field: GraphQLField<unknown, unknown>;
  fieldNode: FieldNode;
  /** What the root field demands of its caller. */
  scopes: ScopeMap;
  /** The name the value of the root field has in the result. */
  responseKey: string;
  pathParams: readonly string[];
  body: BodyPlan;
  /** What a method without a body takes in the query of the address. */
  queryParams: readonly VariablePlan[];
  variables: readonly VariablePlan[];
  omissions: OmitPlan | null;
  execute(context: Context, variables: Record<string, unknown>): Promise<ExecutionResult> | ExecutionResult;
}

export interface BodyPlan {
  /** The variable that takes the whole body; null when each variable is one field of it. */
  wholeAs: string | null;
  /** The top-level fields that mean something. The others are ignored and named. */
  fields: ReadonlySet<string>;
}

/** Reads and plans every document of a folder. A bad one stops the start and is named. */
export function loadEndpoints(schema: GraphQLSchema, folder: string): Endpoint[] {
  return readDocuments(schema, readDocumentFiles(folder)).map((document) => compileEndpoint(schema, document));
}

export function compileEndpoint(schema: GraphQLSchema, document: EndpointDocument): Endpoint {
  const { file, operation } = document;
  const name = operation.name?.value ?? refuse(file, 'the operation needs a name: OpenAPI shows it.');
  const { method, path } = restOf(file, operation);
  const { fieldNode, field } = rootFieldOf(schema, document);
  const pathParams = path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []));
  const variables = planVariables(schema, operation.variableDefinitions ?? []);
  assertVariablesStandWell(document, variables);
  let query: CompiledQuery['query'] | undefined;
  return {
    document,
    name,
    method,
    path,
    isMutation: operation.operation === 'mutation',
    rootField: fieldNode.name.value,
    field,
    fieldNode,
    scopes: scopesOfField(file, field),
    responseKey: (fieldNode.alias ?? fieldNode.name).value,
    pathParams,
    body: bodyPlan(variables, document, method, pathParams),
    queryParams: takesBody(method) ? [] : queryPlan(file, variables, pathParams),
    variables,
    omissions: planOmissions(schema, document, field, fieldNode),
    // Its code is made for the first call: a start would spend a third of its time on endpoints that nobody may ask. That it is valid is known.
    execute: (context, variables) => (query ??= compile(schema, document, name))(undefined, context, variables),
  };
}

/** Refuses what the compiler cannot do, of which validation knows nothing; a test compiles every document we have. */
export function compile(schema: GraphQLSchema, document: EndpointDocument, name: string): CompiledQuery['query'] {
  const compiled = compileQuery(schema, withoutRestDirectives(toDocument(document)), name);
  if (!isCompiledQuery(compiled))
    return refuse(
      document.file,
      `cannot be compiled: ${(compiled.errors ?? []).map((error) => error.message).join(' ')}`,
    );
  return compiled.query;
}

function restOf(file: string, operation: OperationDefinitionNode): { method: Method; path: string } {
  const directive = operation.directives?.find((node) => node.name.value === 'rest');
  const values = new Map(directive?.arguments?.map((argument) => [argument.name.value, argument.value]));
  const method = values.get('method');
  const path = values.get('path');
  if (method?.kind !== Kind.ENUM || path?.kind !== Kind.STRING)
    return refuse(file, 'the operation needs @rest(method: …, path: "…").');
  if (!/^(\/(:[A-Za-z]\w*|[a-z0-9][a-z0-9._-]*))+$/.test(path.value))
    refuse(file, `the path ${path.value} is not made of /literal and /:parameter.`);
  return { method: method.value as Method, path: path.value }; // validated against the enum RestMethod, whose values are these
}

function rootFieldOf(
  schema: GraphQLSchema,
  { file, operation }: EndpointDocument,
): { fieldNode: FieldNode; field: GraphQLField<unknown, unknown> } {
  const [fieldNode, ...others] = operation.selectionSet.selections;
  if (fieldNode?.kind !== Kind.FIELD || others.length > 0)
    return refuse(file, 'an endpoint asks exactly one root field.');
  if (operation.operation === 'subscription') refuse(file, 'an endpoint is a query or a mutation.');
  const field = schema.getRootType(operation.operation)?.getFields()[fieldNode.name.value];
  return { fieldNode, field: field ?? refuse(file, `no root field ${fieldNode.name.value}.`) };
}

function scopesOfField(file: string, field: GraphQLField<unknown, unknown>): ScopeMap {
  const options: unknown = field.extensions['pothosOptions'];
  const scopes: unknown =
    typeof options === 'object' && options !== null && 'authScopes' in options ? options.authScopes : undefined;
  if (typeof scopes !== 'object' || scopes === null)
    return refuse(file, `the root field ${field.name} has no static authScopes.`);
  return scopes; // the builder's guard lets only a map of scope names through
}

/**
 * graphql-jit turns a variable that was not sent into null where it stands inside an object or a list of the document, and "not
 * named" would become "named as nothing". As an argument of its own it is left out rightly.
 */
function assertVariablesStandWell(
  { file, operation, fragments }: EndpointDocument,
  variables: readonly VariablePlan[],
): void {
  const check = (name: string): void => {
    if (!isNonNullType(variables.find((variable) => variable.name === name)?.type))
      refuse(file, `$${name} stands inside an object or a list and must not be nullable there.`);
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
  { file }: EndpointDocument,
  method: Method,
  pathParams: readonly string[],
): BodyPlan {
  for (const param of pathParams) {
    const variable = variables.find(({ name }) => name === param);
    if (!variable) refuse(file, `the path has :${param}, and there is no variable $${param}.`);
    if (!isNonNullType(variable?.type)) refuse(file, `$${param} stands in the path and must not be nullable.`);
  }
  if (!takesBody(method)) return { wholeAs: null, fields: new Set() };
  const ofBody = variables.filter(({ name }) => !pathParams.includes(name));
  const whole = ofBody.find(({ name }) => name === 'body');
  if (!whole) return { wholeAs: null, fields: new Set(ofBody.map(({ name }) => name)) };
  const type = getNamedType(whole.type);
  if (!isInputObjectType(type) || ofBody.length > 1)
    return refuse(file, '$body is the whole body: an input object, and no other variable beside it.');
  return { wholeAs: 'body', fields: new Set(Object.keys(type.getFields())) };
}

function takesBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT';
}

/** An address holds texts: a parameter is one, or a text that says true or false. */
function queryPlan(file: string, variables: readonly VariablePlan[], pathParams: readonly string[]): VariablePlan[] {
  const params = variables.filter(({ name }) => !pathParams.includes(name));
  const odd = params.find(({ type }) => !['Boolean', 'String'].includes(String(type)));
  if (odd)
    refuse(
      file,
      `$${odd.name} would come from the query of the address, which gives Boolean and String, and may be left out.`,
    );
  return params;
}
