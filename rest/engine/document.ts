import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  type DocumentNode,
  extendSchema,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';

/** The text of one document of a surface. */
export interface DocumentFile {
  /** The path relative to the repository, for messages. */
  name: string;
  text: string;
}

/** One operation with the fragments it uses, valid against the schema. */
export interface EndpointDocument {
  file: string;
  name: string;
  /** The file and the name of the operation, for messages. */
  source: string;
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
 * Reads the operations of a surface. A file contains those of one resource, in the order of the API reference, and the
 * fragments of what they return. Operations in every file of the surface may use these fragments.
 */
export function readDocuments(schema: GraphQLSchema, files: readonly DocumentFile[]): EndpointDocument[] {
  const operations = new Map<string, { file: string; operation: OperationDefinitionNode }>();
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const file of files) {
    for (const definition of parseFile(file).definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        const name = definition.name.value;
        if (fragments.has(name)) refuse(file.name, `the fragment ${name} is defined twice on this surface.`);
        fragments.set(name, definition);
      } else if (definition.kind === Kind.OPERATION_DEFINITION) {
        const name =
          definition.name?.value ??
          refuse(file.name, 'an operation needs a name, which is its operationId in OpenAPI.');
        if (operations.has(name)) refuse(file.name, `the operation ${name} is defined twice on this surface.`);
        operations.set(name, { file: file.name, operation: definition });
      } else {
        refuse(file.name, `a document may contain operations and fragments only; found ${definition.kind}.`);
      }
    }
  }
  const withDirectives = restSchema(schema);
  return [...operations].map(([name, { file, operation }]) => {
    const source = `${file}: ${name}`;
    const used = usedFragments(operation, fragments);
    const errors = validate(withDirectives, toDocument({ operation, fragments: used }));
    if (errors.length > 0) refuse(source, errors.map((error) => error.message).join(' '));
    return { file, source, name, operation, fragments: used };
  });
}

const extended = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The types that some answers of REST nest in an object of their own, beside what belongs to them. */
const nested = { Payment: 'The payment.', Partner: 'The partner.' } as const;

/**
 * The schema of REST documents: with their directives, and with the field `self` of the types that are nested. Extending
 * a schema copies every type, so it is cached.
 */
export function restSchema(schema: GraphQLSchema): GraphQLSchema {
  const known = extended.get(schema) ?? extendForRest(schema);
  extended.set(schema, known);
  extended.set(known, known);
  return known;
}

function extendForRest(schema: GraphQLSchema): GraphQLSchema {
  const types = Object.entries(nested).filter(([name]) => schema.getType(name));
  const selves = types.map(([name, description]) => `extend type ${name} { "${description}" self: ${name}! }`);
  const copy = extendSchema(schema, parse([readFileSync(directivesFile, 'utf8'), ...selves].join('\n')));
  for (const [name] of types) {
    const type = copy.getType(name);
    const field = isObjectType(type) ? type.getFields()['self'] : undefined;
    if (field) field.resolve = (parent: unknown) => parent;
  }
  return copy;
}

export function toDocument({ operation, fragments }: Pick<EndpointDocument, 'operation' | 'fragments'>): DocumentNode {
  return { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] };
}

/** Removes the directives of the facade, which are not part of the schema. */
export function withoutRestDirectives(document: DocumentNode): DocumentNode {
  return visit(document, {
    Directive: (node) => (['rest', 'omitNull', 'described'].includes(node.name.value) ? null : undefined),
  });
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
