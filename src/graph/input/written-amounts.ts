import {
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { InputIssue } from '../../lib/errors.ts';
import { isJsonObject, issuesMax, joinPath, type VariablePlan } from './check.ts';

/** Whether the text of a body may contain a number with a fraction or an exponent. Most bodies contain none. */
export function mayHaveFraction(text: string): boolean {
  return /\d[.eE]/.test(text);
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * Amounts that were written with a fraction or an exponent. In JSON `25.00` is the number 25, but a client that writes
 * it means 25 major units and would be charged a hundredth of them.
 *
 * `text` is the text of the body, or undefined if it has no such number.
 */
export function writtenAmountIssues(
  plan: readonly VariablePlan[],
  text: string | undefined,
  variablesOf: (body: Record<string, unknown>) => Variables,
): InputIssue[] {
  const names = text === undefined ? [] : amountNames(plan);
  if (text === undefined || names.length === 0) return [];
  const [first] = new RegExp(`"(${names.join('|')})"\\s*:\\s*(\\[\\s*)?-?\\d+[.eE]`).exec(text)?.slice(1) ?? [];
  if (first === undefined) return [];
  // No body with an amount is larger, and reading a body with the text of its numbers takes ten times as long.
  if (text.length > exactTextMax) return [{ path: first, message: withoutFraction }];
  const body: unknown = JSON.parse(text, (_key, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && /[.eE]/.test(source) ? fractional : value,
  );
  if (!isJsonObject(body)) return [];
  const issues: InputIssue[] = [];
  const variables = variablesOf(body);
  for (const { name, type, path } of plan) collect(variables[name], type, path, issues);
  return issues;
}

/** A field with an issue about its fraction gets no other issue. */
export function withWrittenAmounts(
  general: readonly InputIssue[],
  written: readonly InputIssue[],
): readonly InputIssue[] {
  return written.length === 0
    ? general
    : [...general.filter(({ path }) => !written.some((issue) => issue.path === path)), ...written];
}

const exactTextMax = 64 * 1024;

const withoutFraction = 'must be a whole number of minor units, written without a fraction: 2500 is $25.00';

/** Stands for a number that was written with a fraction. */
const fractional = Symbol('fractional');

function collect(value: unknown, type: GraphQLInputType, path: string, issues: InputIssue[]): void {
  if (issues.length >= issuesMax) return;
  if (isNonNullType(type)) collect(value, type.ofType, path, issues);
  else if (isListType(type)) {
    if (Array.isArray(value)) value.forEach((item, index) => collect(item, type.ofType, `${path}[${index}]`, issues));
    else collect(value, type.ofType, path, issues);
  } else if (isInputObjectType(type)) {
    if (!isJsonObject(value)) return;
    for (const field of Object.values(type.getFields()))
      if (Object.hasOwn(value, field.name)) collect(value[field.name], field.type, joinPath(path, field.name), issues);
  } else if (value === fractional && isAmount(type)) issues.push({ path, message: withoutFraction });
}

/** The names of the variables and input fields that are amounts. */
function amountNames(plan: readonly VariablePlan[]): string[] {
  const names = new Set<string>();
  const seen = new Set<GraphQLInputType>();
  const add = (name: string, type: GraphQLInputType): void => {
    const named = getNamedType(type);
    if (isAmount(named)) names.add(name);
    if (!isInputObjectType(named) || seen.has(named)) return;
    seen.add(named);
    for (const field of Object.values(named.getFields())) add(field.name, field.type);
  };
  for (const { name, type } of plan) add(name, type);
  return [...names];
}

function isAmount(type: GraphQLInputType): boolean {
  return isScalarType(type) && type.extensions['isAmount'] === true;
}
