import {
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { type EndpointDocument, refuse } from './document.ts';

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
  if (omit && isNonNullType(field.type)) refuse(document.file, `${field.name} is never null: @omitNull has no effect.`);
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
