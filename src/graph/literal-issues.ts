import { type DocumentNode, Kind, type ValueNode, visit } from 'graphql';
import type { InputIssue } from '../kit/errors.ts';
import { inputDepthMax, issuesMax, joinPath, unstorable } from './input.ts';

/**
 * Invalid literals of a document. They are not variables, and GraphQL's validation checks only their types. Paths are
 * those of the arguments.
 */
export function literalIssues(document: DocumentNode): InputIssue[] {
  const issues: InputIssue[] = [];
  const look = (node: { name: { value: string }; value: ValueNode }): false => {
    collectLiteral(node.value, node.name.value, issues, 0);
    return false;
  };
  visit(document, {
    Argument: look,
    VariableDefinition: ({ variable, defaultValue }) =>
      defaultValue ? look({ name: variable.name, value: defaultValue }) : undefined,
  });
  return issues;
}

function collectLiteral(node: ValueNode, path: string, issues: InputIssue[], depth: number): void {
  if (issues.length >= issuesMax) return;
  if (depth > inputDepthMax) issues.push({ path, message: `is nested deeper than ${inputDepthMax} levels` });
  else if (node.kind === Kind.LIST)
    node.values.forEach((item, index) => collectLiteral(item, `${path}[${index}]`, issues, depth + 1));
  else if (node.kind === Kind.OBJECT)
    for (const field of node.fields) collectLiteral(field.value, joinPath(path, field.name.value), issues, depth + 1);
  else {
    const value =
      node.kind === Kind.STRING
        ? node.value
        : node.kind === Kind.INT || node.kind === Kind.FLOAT
          ? Number(node.value)
          : null;
    const message = unstorable(value, depth);
    if (message !== undefined) issues.push({ path, message });
  }
}
