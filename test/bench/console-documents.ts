import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse, print, visit } from 'graphql';

/** A document of the console, complete with its fragments. */
export interface ConsoleDocument {
  name: string;
  /** The file it stands in, which is a screen or a part of screens. */
  screen: string;
  text: string;
  operation: OperationDefinitionNode;
}

const sources = join(import.meta.dirname, '..', '..', 'console', 'src');

/** Every query and mutation of the console's sources. A document that cannot be read there is an error. */
export function consoleDocuments(): ConsoleDocument[] {
  const documents: ConsoleDocument[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: { screen: string; operation: OperationDefinitionNode }[] = [];
  for (const file of globSync('**/*.{ts,tsx}', { cwd: sources })) {
    const source = readFileSync(join(sources, file), 'utf8');
    const texts = [...source.matchAll(/\bgraphql\(\s*`([^`]*)`/g)].map(([, text = '']) => text);
    if (texts.length !== source.split(/\bgraphql\(/).length - 1)
      throw new Error(`${file}: a document is a literal text in graphql(…).`);
    for (const definition of texts.flatMap((text) => parse(text).definitions)) {
      if (definition.kind === Kind.OPERATION_DEFINITION)
        operations.push({ screen: basename(file).replace(/\.tsx?$/, ''), operation: definition });
      else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        if (fragments.has(definition.name.value)) throw new Error(`${file}: ${definition.name.value} is named twice.`);
        fragments.set(definition.name.value, definition);
      }
    }
  }
  for (const { screen, operation } of operations) {
    const name = operation.name?.value;
    if (name === undefined) throw new Error(`A document of ${screen} has no name.`);
    const used = fragmentsOf(operation, fragments);
    documents.push({ name, screen, operation, text: [operation, ...used].map(print).join('\n') });
  }
  return documents.sort((a, b) => a.screen.localeCompare(b.screen) || a.name.localeCompare(b.name));
}

function fragmentsOf(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Set<FragmentDefinitionNode> {
  const used = new Set<FragmentDefinitionNode>();
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (!fragment) throw new Error(`No source of the console has the fragment ${name.value}.`);
        if (used.has(fragment)) return;
        used.add(fragment);
        follow(fragment);
      },
    });
  };
  follow(operation);
  return used;
}
