import {
  type FieldNode,
  getNamedType,
  type GraphQLField,
  type GraphQLSchema,
  isCompositeType,
  isNonNullType,
  isObjectType,
  isInterfaceType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { type EndpointDocument, refuse } from './document.ts';

/** Where an answer leaves nulls out: a step a response key, only along the branches that have such a field. */
export interface OmitPlan {
  key: string;
  omit: boolean;
  children: readonly OmitPlan[];
}

/** Null when nothing of the answer is to be left out, which is the common case and costs nothing then. */
export function planOmissions(
  schema: GraphQLSchema,
  document: EndpointDocument,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): OmitPlan | null {
  return planField(schema, document, field, node) ?? null;
}

/** Undefined instead of deleted: JSON has no undefined either, and the object keeps its shape. */
export function omitNulls(value: unknown, plans: readonly OmitPlan[]): void {
  if (Array.isArray(value)) {
    for (const item of value) omitNulls(item, plans);
  } else if (typeof value === 'object' && value !== null) {
    const object = value as Record<string, unknown>; // an object of the answer, made by the executor for this request alone
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
    refuse(document.file, `${field.name} is never null: @omitNull says nothing there.`);
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
