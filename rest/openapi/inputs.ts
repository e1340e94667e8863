import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  valueFromASTUntyped,
} from 'graphql';
import { alternativesOf, listMaxOf, refusesNull } from '../../src/graph/input/rules.ts';
import type { Endpoint } from '../engine/endpoint.ts';
import { restDialect } from '../engine/variables.ts';
import { type Components, component, described, type JsonSchema, leafSchema, orNull, refTo } from './schemas.ts';

export function inputSchema(type: GraphQLInputType, components: Components, mayBeNull = true): JsonSchema {
  if (isNonNullType(type)) return nonNullInput(type.ofType, components);
  return mayBeNull ? orNull(nonNullInput(type, components)) : nonNullInput(type, components);
}

function nonNullInput(type: GraphQLInputType, components: Components): JsonSchema {
  if (isNonNullType(type)) return nonNullInput(type.ofType, components);
  if (isListType(type))
    return { type: 'array', maxItems: listMaxOf(type), items: inputSchema(type.ofType, components) };
  if (isInputObjectType(type)) return component(type.name, components, () => inputObjectSchema(type, components));
  return leafSchema(type, components);
}

/** The body of a request as a component, with the name of its input in the graph or of its operation. */
export function bodyReference(endpoint: Endpoint, components: Components): JsonSchema {
  const { body, variables, name } = endpoint;
  const whole = variables.find((variable) => variable.name === body.wholeAs)?.type;
  const type = isNonNullType(whole) ? whole.ofType : whole;
  if (isInputObjectType(type)) return component(type.name, components, () => inputObjectSchema(type, components));
  const ownName = `${name}Input`;
  if (components.has(ownName)) throw new Error(`${ownName} is the name of two schemas of the OpenAPI document.`);
  components.set(ownName, variablesSchema(endpoint, components));
  return refTo(ownName);
}

/** Whether a body may be omitted, since none of its fields is required. */
export function isBodyRequired({ body, variables }: Endpoint): boolean {
  const whole = variables.find(({ name }) => name === body.wholeAs)?.type;
  const type = isNonNullType(whole) ? whole.ofType : whole;
  return isInputObjectType(type)
    ? alternativesOf(type).length > 0 || Object.values(type.getFields()).some(isRequired)
    : variables.some(
        (variable) =>
          body.fields.has(variable.name) && isNonNullType(variable.type) && variable.rawDefault === undefined,
      );
}

/** The arguments of the root field that the document passes. */
export function passedArguments({ field, fieldNode }: Endpoint): readonly GraphQLArgument[] {
  return field.args.filter(({ name }) => fieldNode.arguments?.some((given) => given.name.value === name));
}

/** The argument of the root field to which a variable is passed. It provides the description of the variable. */
export function argumentOf({ field, fieldNode }: Endpoint, variable: string): GraphQLArgument | undefined {
  const given = fieldNode.arguments?.find(({ value }) => value.kind === Kind.VARIABLE && value.name.value === variable);
  return field.args.find(({ name }) => name === given?.name.value);
}

function variablesSchema(endpoint: Endpoint, components: Components): JsonSchema {
  const fields = endpoint.variables.filter(({ name }) => endpoint.body.fields.has(name));
  const required = fields
    .filter(({ type, rawDefault }) => isNonNullType(type) && rawDefault === undefined)
    .map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, type, rawDefault }) => {
        const argument = argumentOf(endpoint, name);
        const preset = rawDefault ?? (argument && defaultOf(argument));
        return [
          name,
          {
            ...inputSchema(type, components, !(argument && refusesNull(argument))),
            ...described(withDefault(argument?.description, preset)),
          },
        ];
      }),
    ),
    ...(required.length > 0 && { required }),
    // Reads ignore unknown fields, and list them in a header.
    ...(endpoint.isMutation && { additionalProperties: false }),
  };
}

function inputObjectSchema(type: GraphQLInputObjectType, components: Components): JsonSchema {
  const fields = Object.values(type.getFields()).filter((field) => restDialect.hasField(field));
  const alternatives = alternativesOf(type);
  if (alternatives.length === 0) return { ...described(type.description), ...objectOf(fields, type, components) };
  return {
    ...described(type.description),
    oneOf: alternatives.map((chosen) =>
      objectOf(
        fields.filter(({ name }) => name === chosen || !alternatives.includes(name)),
        type,
        components,
        chosen,
      ),
    ),
  };
}

/** An object with these fields; `chosen` is one of the required ones. */
function objectOf(
  fields: readonly GraphQLInputField[],
  type: GraphQLInputObjectType,
  components: Components,
  chosen?: string,
): JsonSchema {
  const required = fields.filter((field) => field.name === chosen || isRequired(field)).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => {
        const mayBeNull = field.name !== chosen && !refusesNull(field, type);
        return [
          field.name,
          {
            ...inputSchema(field.type, components, mayBeNull),
            ...described(withDefault(field.description, defaultOf(field))),
          },
        ];
      }),
    ),
    ...(required.length > 0 && { required }),
    ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
    additionalProperties: false,
  };
}

/** Generators such as openapi-typescript treat a property with the keyword `default` as required, also in a body. */
function withDefault(description: string | null | undefined, preset: unknown): string | null | undefined {
  if (preset === undefined) return description;
  const said = `Default: \`${typeof preset === 'string' ? preset : JSON.stringify(preset)}\`.`;
  return description ? `${description} ${said}` : said;
}

/** The default in the form in which it would be sent. */
function defaultOf({ defaultValue, type }: GraphQLArgument | GraphQLInputField): unknown {
  const literal = defaultValue === undefined ? null : astFromValue(defaultValue, type);
  return literal ? valueFromASTUntyped(literal) : undefined;
}

function isRequired({ type, defaultValue }: GraphQLInputField): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}
