import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { type Endpoint, loadEndpoints } from '../../rest/engine/endpoint.ts';
import { restDialect } from '../../rest/engine/variables.ts';
import type { ScopeMap } from '../../src/auth/scopes.ts';
import { scopesOfField } from '../../src/graph/builder.ts';
import { schema } from '../../src/schema.ts';

/** Every endpoint that accepts an API key, from its document; its path below /api/public/v1. */
export const endpoints: readonly Endpoint[] = [
  ...loadEndpoints(schema, 'public'),
  ...loadEndpoints(schema, 'plugins').map((endpoint) => ({ ...endpoint, path: `/plugins${endpoint.path}` })),
];

/** Every endpoint of the IAM surface. */
export const iamEndpoints: readonly Endpoint[] = loadEndpoints(schema, 'iam');

export interface RootField {
  kind: 'query' | 'mutation';
  field: GraphQLField<unknown, unknown>;
  scopes: ScopeMap;
}

/** Scopes as the matrix and titles of tests print them: `key`, or `key/directory` of a field for keys and people. */
export function namesOf({ $any, ...own }: ScopeMap): string {
  return Object.keys($any ?? own).join('/');
}

/** Every root field of the graph, sorted. */
export const rootFields: readonly RootField[] = (['query', 'mutation'] as const).flatMap((kind) =>
  Object.values((kind === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {})
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map((field) => ({
      kind,
      field,
      scopes: scopesOfField(field),
    })),
);

/** The fields of objects that only some callers may see, by name. */
export const scopedFields = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter((type) => type !== schema.getQueryType() && type !== schema.getMutationType())
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field, scopes: scopesOfField(field) })))
  .filter(({ scopes }) => Object.keys(scopes).length > 0)
  .sort((left, right) => (`${left.type}.${left.field.name}` < `${right.type}.${right.field.name}` ? -1 : 1));

/** An operation on one root field with all its arguments as variables, selecting everything of it to a depth. */
export function documentOf({ kind, field }: RootField, depth = 3): string {
  const variables = field.args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const args = field.args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  return (
    `${kind}${variables && ` (${variables})`} { ${field.name}${args && `(${args})`} ` +
    `${selectionOf(field.type, depth)} }`
  );
}

function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isUnionType(named))
    return `{ ${named
      .getTypes()
      .map((member) => `... on ${member.name} ${selectionOf(member, depth)}`)
      .join(' ')} }`;
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).flatMap((field) => {
    if (Object.keys(scopesOfField(field)).length > 0) return []; // only some callers may see it
    if (!isCompositeType(getNamedType(field.type))) return field.name;
    const below = depth > 0 ? selectionOf(field.type, depth - 1) : '';
    return below === '' ? [] : `${field.name} ${below}`;
  });
  return fields.length === 0 ? '' : `{ ${fields.join(' ')} }`;
}

/** A position in the input of an operation that accepts one value. */
export interface Slot {
  path: readonly string[];
  type: GraphQLInputType;
  isList: boolean;
}

/** Every leaf of an input that REST has, with its path. */
export function restSlotsOf(inputs: readonly { name: string; type: GraphQLInputType }[]): Slot[] {
  return inputs.flatMap(({ name, type }) =>
    below([name], type, false, ({ extensions }) => extensions['rest'] !== false),
  );
}

/** Every leaf of an input, with its path. */
export function slotsOf(inputs: readonly { name: string; type: GraphQLInputType }[]): Slot[] {
  return inputs.flatMap(({ name, type }) => below([name], type, false));
}

function below(
  path: readonly string[],
  given: GraphQLInputType,
  isList: boolean,
  has: (field: GraphQLInputField) => boolean = () => true,
): Slot[] {
  const type = getNullableType(given);
  if (isListType(type)) return below(path, type.ofType, true, has);
  if (!isInputObjectType(type)) return [{ path, type, isList }];
  const fields = Object.values(type.getFields()).filter(has);
  return fields.flatMap((field) => below([...path, field.name], field.type, false, has));
}

/** Whether a slot accepts an identifier of the platform. */
export function takesId({ path, type }: Slot): boolean {
  return /^(ID|String)$/.test(String(type)) && /^(token|cursor)$|Id$/.test(path.at(-1) ?? '');
}

const examples: Readonly<Record<string, unknown>> = {
  Amount: 1000,
  Currency: 'USD',
  Country: 'US',
  Email: 'example@example.com',
  Url: 'https://example.com/back',
  Label: 'label',
  Name: 'Name',
  ShortText: 'text',
  Tag: 'kind:example',
  IpAddress: '203.0.113.7',
  BinPrefix: '424242',
  Pattern: 'a+',
  TtlHours: 1,
  RouteWeight: 1,
  FallbackOrder: 1,
  RetryCount: 1,
  Quantity: 1,
  String: 'text',
  Int: 1,
  Boolean: true,
  Float: 1,
  PageNumber: 1,
  PageSize: 5,
  DateTime: '2099-01-01T00:00:00Z',
  DateOrDateTime: '2026-01-01',
  EventType: 'customer/created',
  Handle: 'a',
  Metadata: { note: 1 },
  JSONObject: {},
  PluginManifest: { pluginId: 'example', name: 'Example', version: '1.0.0', pages: [{ path: '/' }] },
  MountAlias: 'example',
  BasePath: '/',
  ConfigVersion: 1,
  KybCode: 'business.mcc',
  KybValue: '5999',
};

/** The smallest valid value of an input type; `known` contains values by field name. */
export function smallestValue(
  given: GraphQLInputType,
  name: string,
  known: Readonly<Record<string, unknown>>,
): unknown {
  if (name in known) return known[name];
  const type = getNullableType(given);
  if (isListType(type)) return [smallestValue(type.ofType, '', known)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return examples[type.name] ?? 'text';
  const needed = Object.values(type.getFields()).filter(
    (field) =>
      (isNonNullType(field.type) && field.defaultValue === undefined) ||
      (field.name in known && restDialect.hasField(field)),
  );
  return Object.fromEntries(needed.map((field) => [field.name, smallestValue(field.type, field.name, known)]));
}

/** `value` with `leaf` set at `path`; missing objects on the path are created with their required fields. */
export function withLeaf(
  inputs: readonly { name: string; type: GraphQLInputType }[],
  base: Record<string, unknown>,
  { path, isList }: Slot,
  leaf: unknown,
  known: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const type = inputs.find((input) => input.name === name)?.type;
  if (!type) throw new Error(`There is no ${name}.`);
  return { ...base, [name]: place(type, base[name] ?? undefined, rest, isList ? [leaf] : leaf, known) };
}

function place(
  given: GraphQLInputType,
  value: unknown,
  path: readonly string[],
  leaf: unknown,
  known: Readonly<Record<string, unknown>>,
): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return leaf;
  const bare = getNullableType(given);
  if (isListType(bare)) return [place(bare.ofType, Array.isArray(value) ? value[0] : undefined, path, leaf, known)];
  const type = getNamedType(given);
  if (!isInputObjectType(type)) throw new Error(`${name} is not within an object.`);
  const object = (value ?? smallestValue(type, '', known)) as Record<string, unknown>; // an input object
  const field = type.getFields()[name];
  if (!field) throw new Error(`There is no ${name}.`);
  return { ...object, [name]: place(field.type, object[name], rest, leaf, known) };
}
