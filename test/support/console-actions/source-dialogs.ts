import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An `Action` in the sources of the console. */
export interface SourceDialog {
  file: string;
  /** The operation that it sends. */
  mutation: string | undefined;
  /** What its button says; undefined if that is no literal text. */
  name: string | undefined;
}

const sources = join(import.meta.dirname, '..', '..', '..', 'console', 'src');

/** Every dialog of the sources of the console that sends a mutation. */
export function sourceDialogs(): SourceDialog[] {
  return globSync('**/*.tsx', { cwd: sources }).flatMap((file) => {
    const source = readFileSync(join(sources, file), 'utf8');
    const documents = new Map(
      [...source.matchAll(/const (\w+) = graphql\(\s*`\s*mutation (\w+)/g)].map(([, name, mutation]) => [
        name,
        mutation,
      ]),
    );
    const [, ...actions] = source.split(/<Action\b(?=\s)/);
    return actions.map((text) => ({
      file,
      mutation: documents.get(/\bdocument=\{(\w+)\}/.exec(text)?.[1]),
      name: /\bname="([^"]+)"/.exec(text)?.[1],
    }));
  });
}
