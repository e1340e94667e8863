import {
  astFromValue,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { type Dialect, isJsonObject, type VariablePlan } from '../../src/graph/input/check.ts';
import { scrub } from '../../src/observability/scrub.ts';
import { type EndpointDocument, refuse } from './document.ts';

/**
 * How REST writes inputs. An enum value is the word that it stands for, which may contain characters that are not
 * allowed in names. Input fields with `extensions: { rest: false }` are for people only.
 */
export const restDialect: Dialect = {
  wordOf: ({ value }) => String(value),
  hasField: ({ extensions }) => extensions['rest'] !== false,
};

/**
 * Returns the variables in the form that GraphQL accepts: words as names of enums, and the defaults of omitted values.
 * graphql-jit does not apply the default of a non-null type and reports "was not provided", so the defaults are added
 * before it runs.
 */
export function withDefaults(
  plan: readonly VariablePlan[],
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const { name, type, rawDefault } of plan) {
    const value = variables[name] === undefined ? rawDefault : variables[name];
    if (value !== undefined) filled[name] = fill(value, type);
  }
  return filled;
}

function fill(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return fill(value, type.ofType);
  if (isListType(type))
    return Array.isArray(value) ? value.map((item: unknown) => fill(item, type.ofType)) : fill(value, type.ofType);
  if (isEnumType(type)) return type.getValues().find((known) => restDialect.wordOf(known) === value)?.name ?? value;
  if (!isInputObjectType(type) || !isJsonObject(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const { name, type: fieldType, rawDefault } of fieldsOf(type)) {
    if (Object.hasOwn(value, name)) filled[name] = fill(value[name], fieldType);
    else if (rawDefault !== undefined) filled[name] = rawDefault;
  }
  return filled;
}

interface InputField {
  name: string;
  type: GraphQLInputType;
  rawDefault: unknown;
}

const fieldsByType = new WeakMap<GraphQLInputObjectType, readonly InputField[]>();

/** The schema stores defaults as internal values. An enum value in JSON may differ from its internal value. */
function fieldsOf(type: GraphQLInputObjectType): readonly InputField[] {
  let fields = fieldsByType.get(type);
  if (!fields) {
    fields = Object.values(type.getFields()).map(({ name, type: fieldType, defaultValue }) => {
      const literal = defaultValue === undefined ? null : astFromValue(defaultValue, fieldType);
      return { name, type: fieldType, rawDefault: literal ? valueFromASTUntyped(literal) : undefined };
    });
    fieldsByType.set(type, fields);
  }
  return fields;
}

const nameLengthMax = 100;
const headerLengthMax = 2000;

/** A body may have a hundred thousand unknown fields. Sorting this many is fast, and the header has room for fewer. */
const namesMax = 1000;

/** The value of the `Ignored-Fields` header: the unknown top-level fields of a body. Undefined if there are none. */
export function ignoredFieldsHeader(
  body: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): string | undefined {
  const ignored = Object.keys(body).filter((name) => !known.has(name));
  if (ignored.length === 0) return undefined;
  let header = '';
  for (const given of ignored.slice(0, namesMax).sort()) {
    const name = asHeaderText(given);
    // Node and proxies reject large headers. The first names are enough to find the mistake.
    if (header.length + name.length > headerLengthMax) return `${header}, ...`;
    header += header === '' ? name : `, ${name}`;
  }
  return ignored.length > namesMax ? `${header}, ...` : header;
}

/** The name of a field may contain characters that a header must not contain. */
function asHeaderText(name: string): string {
  // Proxies log headers, and a name may contain a card number by mistake.
  const safe = scrub(name);
  const shown = safe.length > nameLengthMax ? `${safe.slice(0, nameLengthMax)}...` : safe;
  return /^[\x21-\x2b\x2d-\x7e]+$/.test(shown) ? shown : encodeURIComponent(shown.toWellFormed());
}

/** The response keys whose null values are omitted, as a tree. Branches without such a field are not part of it. */
export interface OmitPlan {
  key: string;
  omit: boolean;
  children: readonly OmitPlan[];
}

/** Null if the document omits no null values, so that most endpoints skip this step. */
export function planOmissions(
  schema: GraphQLSchema,
  document: EndpointDocument,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): OmitPlan | null {
  return planField(schema, document, field, node) ?? null;
}

/** Sets null values to undefined, which `JSON.stringify` omits. Deleting them would change the shape of the object. */
export function omitNulls(value: unknown, plans: readonly OmitPlan[]): void {
  if (Array.isArray(value)) {
    for (const item of value) omitNulls(item, plans);
  } else if (typeof value === 'object' && value !== null) {
    // an object of the result, which belongs to this request only
    const object = value as Record<string, unknown>;
    for (const plan of plans) {
      const entry = object[plan.key];
      if (plan.omit && entry === null) object[plan.key] = undefined;
      else if (plan.children.length > 0) omitNulls(entry, plan.children);
    }
  }
}

function planField(
  schema: GraphQLSchema,
  document: EndpointDocument,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): OmitPlan | undefined {
  const omit = node.directives?.some((directive) => directive.name.value === 'omitNull') ?? false;
  if (omit && isNonNullType(field.type))
    refuse(document.source, `${field.name} is never null: @omitNull has no effect.`);
  const type = getNamedType(field.type);
  const children =
    node.selectionSet && isCompositeType(type) ? planSelections(schema, document, type.name, node.selectionSet) : [];
  return omit || children.length > 0 ? { key: (node.alias ?? node.name).value, omit, children } : undefined;
}

function planSelections(
  schema: GraphQLSchema,
  document: EndpointDocument,
  typeName: string,
  selections: SelectionSetNode,
): OmitPlan[] {
  const type = schema.getType(typeName);
  return selections.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) {
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
      return (field && planField(schema, document, field, selection)) ?? [];
    }
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? document.fragments.get(selection.name.value) : selection;
    return fragment
      ? planSelections(schema, document, fragment.typeCondition?.name.value ?? typeName, fragment.selectionSet)
      : [];
  });
}
