import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  type DocumentNode,
  extendSchema,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';

/** The text of one file below a surface's folder. */
export interface DocumentFile {
  /** The path relative to the repository, for messages. */
  name: string;
  text: string;
}

/** One operation with the fragments it uses, valid against the schema. */
export interface EndpointDocument {
  file: string;
  operation: OperationDefinitionNode;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

const directivesFile = join(import.meta.dirname, '..', 'directives.graphql');

export function refuse(file: string, reason: string): never {
  throw new Error(`${file}: ${reason}`);
}

export function readDocumentFiles(folder: string): DocumentFile[] {
  const repository = join(import.meta.dirname, '..', '..');
  // A surface without documents has no folder in a fresh clone.
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.graphql'))
    .sort()
    .map((path) => ({
      name: relative(repository, join(folder, path)),
      text: readFileSync(join(folder, path), 'utf8'),
    }));
}

/**
 * Reads the operations of a surface, one per file. A file that contains only fragments provides them to every operation
 * of its surface, so that a resource that several endpoints return is defined once.
 */
export function readDocuments(schema: GraphQLSchema, files: readonly DocumentFile[]): EndpointDocument[] {
  const parsed = files.map((file) => ({ file: file.name, document: parseFile(file) }));
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const { file, document } of parsed) {
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
      if (fragments.has(definition.name.value))
        refuse(file, `the fragment ${definition.name.value} is defined twice on this surface.`);
      fragments.set(definition.name.value, definition);
    }
  }
  const withDirectives = withRestDirectives(schema);
  return parsed.flatMap(({ file, document }) => {
    const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    const other = document.definitions.find(
      (definition) => definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION,
    );
    if (other) refuse(file, `a document may contain operations and fragments only; found ${other.kind}.`);
    if (operations.length === 0) return [];
    const [operation] = operations;
    if (operation === undefined || operations.length > 1)
      refuse(file, `a file must contain one operation; found ${operations.length}.`);
    const used = usedFragments(operation, fragments);
    const errors = validate(withDirectives, toDocument({ operation, fragments: used }));
    if (errors.length > 0) refuse(file, errors.map((error) => error.message).join(' '));
    return [{ file, operation, fragments: used }];
  });
}

const extended = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The schema with the directives of REST documents. Extending it copies every type, so it is cached. */
function withRestDirectives(schema: GraphQLSchema): GraphQLSchema {
  const known = extended.get(schema) ?? extendSchema(schema, parse(readFileSync(directivesFile, 'utf8')));
  extended.set(schema, known);
  return known;
}

export function toDocument({ operation, fragments }: Pick<EndpointDocument, 'operation' | 'fragments'>): DocumentNode {
  return { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] };
}

/** Removes the directives of the facade, which are not part of the schema. */
export function withoutRestDirectives(document: DocumentNode): DocumentNode {
  return visit(document, { Directive: (node) => (['rest', 'omitNull'].includes(node.name.value) ? null : undefined) });
}

function parseFile(file: DocumentFile): DocumentNode {
  try {
    return parse(file.text);
  } catch (error) {
    return refuse(file.name, error instanceof Error ? error.message : String(error));
  }
}

function usedFragments(
  operation: OperationDefinitionNode,
  known: ReadonlyMap<string, FragmentDefinitionNode>,
): Map<string, FragmentDefinitionNode> {
  const used = new Map<string, FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread: ({ name: { value: name } }) => {
        const fragment = known.get(name);
        // Validation reports unknown fragments.
        if (!fragment || used.has(name)) return;
        used.set(name, fragment);
        collect(fragment);
      },
    });
  };
  collect(operation);
  return used;
}
