import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { schema } from '../../src/schema.ts';
import type { ConsoleDocument } from './console-documents.ts';
import { argumentValues, dayAgo, filterValues, type Values, wholeForms } from './console-values.ts';

/** A document with variables. */
export interface Form {
  name: string;
  variables: Readonly<Record<string, unknown>>;
  /** Of a list whose last page is asked for, or that is sorted over all partners, which few lists offer. */
  kind?: 'last page' | 'sort over all partners';
}

/** Variables that the console sets for every document. */
const common = ['mode', 'isAdmin', 'isAuditor', 'isHub', 'isStaff', 'page', 'pageSize', 'limit', 'offset'];
const slugs: Values = { 'the biggest partner': 'bench-0', 'a small partner': 'bench-7' };

/** Every form in which the console sends a document. Throws for a variable or a filter whose values are not known. */
export function formsOf(document: ConsoleDocument): Form[] {
  const whole = wholeForms[document.name];
  if (whole) return Object.entries(whole).map(([name, variables]) => ({ name, variables }));
  const variables = new Map(
    (document.operation.variableDefinitions ?? []).map((node) => [node.variable.name.value, inputTypeOf(node)]),
  );
  const forms: Form[] = [{ name: 'as it opens', variables: {} }];
  for (const [name, type] of variables) {
    if (name === 'page') forms.push({ name: 'page 90', variables: { page: 90 } });
    else if (name === 'offset') forms.push({ name: 'offset 1780', variables: { offset: 1780 } });
    else if (name === 'filters') forms.push(...filterForms(type));
    else if (name === 'sortBy') forms.push(...sortForms(type));
    else if (name === 'partnerSlug') forms.push(...valueForms('of', name, slugs));
    else if (!common.includes(name)) forms.push(...argumentForms(`${document.name}.${name}`, name, type));
  }
  if (variables.has('page')) forms.push({ name: 'the last page', variables: {}, kind: 'last page' });
  return forms;
}

/** The rows of an export: as many as one may have, or those of a small partner where the list has no time. */
export function exportForm(document: ConsoleDocument): Form {
  const node = document.operation.variableDefinitions?.find(({ variable }) => variable.name.value === 'filters');
  const fields = node ? filterType(inputTypeOf(node)).getFields() : {};
  const time = ['createdAt', 'at'].find((field) => fields[field]);
  if (time === undefined) return { name: 'of a small partner', variables: { partnerSlug: 'bench-7' } };
  const recent = { condition: 'is_between_date', value: [dayAgo(4), dayAgo(0)] };
  return { name: 'of five days', variables: { filters: { [time]: recent } } };
}

function filterForms(type: GraphQLInputType): Form[] {
  const of = filterType(type);
  return Object.values(of.getFields()).flatMap((field) =>
    valueForms(field.name, field.name, valuesOf(`${of.name}.${field.name}`, field.name, field.type)).map((form) => ({
      name: form.name,
      variables: { filters: form.variables },
    })),
  );
}

function valuesOf(path: string, name: string, type: GraphQLInputType): Values {
  const known = filterValues[path] ?? filterValues[name];
  const named = getNamedType(type);
  if (isEnumType(named))
    return Object.fromEntries(
      named.getValues().map((value) => [value.name, isListType(nullable(type)) ? [value.name] : value.name]),
    );
  if (named.name === 'DateFilter')
    return {
      'of this week': { condition: 'is_between_date', value: [dayAgo(7), '9999-12-31'] },
      'of a day last year': { condition: 'is_equal_date', value: [dayAgo(300)] },
      'of all time': { condition: 'is_between_date', value: ['2000-01-01', '9999-12-31'] },
      'of no time': { condition: 'is_after_date', value: ['2999-01-01'] },
    };
  if (named.name === 'Boolean') return { yes: true, no: false };
  if (!known) throw new Error(`The bench has no values of the filter ${path}: add them to console-values.ts.`);
  return known;
}

/** The first sort field is offered over all partners, the others perhaps; over one partner all are. */
function sortForms(type: GraphQLInputType): Form[] {
  const of = getNamedType(type);
  const field = isInputObjectType(of) ? getNamedType(of.getFields()['field']?.type) : undefined;
  if (!isEnumType(field)) throw new Error(`${of.name} names its fields in an enum.`);
  return field.getValues().flatMap(({ name }) =>
    ['asc', 'desc'].flatMap((direction): Form[] => {
      const sortBy = { field: name, direction };
      return [
        { name: `by ${name} ${direction}`, variables: { sortBy }, kind: 'sort over all partners' },
        { name: `by ${name} ${direction}, of one partner`, variables: { sortBy, partnerSlug: 'bench-0' } },
      ];
    }),
  );
}

function argumentForms(path: string, name: string, type: GraphQLInputType): Form[] {
  const of = getNamedType(type);
  if (isEnumType(of)) return valueForms(name, name, valuesOf(path, name, type));
  const values = argumentValues[path];
  if (!values) throw new Error(`The bench has no values of the variable ${path}: add them to console-values.ts.`);
  return valueForms(name, name, values);
}

function valueForms(label: string, name: string, values: Values): Form[] {
  return Object.entries(values).map(([how, value]) => ({ name: `${label} ${how}`, variables: { [name]: value } }));
}

function filterType(type: GraphQLInputType): GraphQLInputObjectType {
  const of = getNamedType(type);
  if (!isInputObjectType(of)) throw new Error(`${of.name} is no input of filters.`);
  return of;
}

function inputTypeOf({ variable, type }: VariableDefinitionNode): GraphQLInputType {
  // a variable has an input type
  const found = typeFromAST(schema, type as Parameters<typeof typeFromAST>[1]) as GraphQLInputType | undefined;
  if (!found) throw new Error(`$${variable.name.value} has a type that the schema has not.`);
  return found;
}

function nullable(type: GraphQLInputType): GraphQLInputType {
  return isNonNullType(type) ? type.ofType : type;
}
