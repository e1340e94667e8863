import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// A file whose first line names paths after `guards:` runs in `.ci/run` if one of them has changed, or a file that it
// imports. Files `*.nightly.test.ts` must have such a line, and run otherwise by night only.
//   node test/support/nightly.ts check    fails if a nightly file names no path, or any file one that does not exist
//   node test/support/nightly.ts record   stores the present commit as the one at which all of them have passed

const root = join(import.meta.dirname, '..', '..');
const record = join(root, 'test', 'nightly.json');

interface GuardedFile {
  /** Relative to the repository, as the paths that it guards. */
  file: string;
  guards: string[];
  /** The files that it imports, and those that the ones below test/ import. */
  imports: string[];
}

const isNightly = ({ file }: Pick<GuardedFile, 'file'>): boolean => file.endsWith('.nightly.test.ts');

/** The nightly files, and the others whose first line names what they guard. */
function guardedFiles(): GuardedFile[] {
  return globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const [, guards = ''] = /^\/\/ guards: (.+)/.exec(text) ?? [];
      if (guards === '' && !isNightly({ file })) return [];
      return [{ file, guards: guards.split(' ').filter((path) => path !== ''), imports: [...importsOf(file)] }];
    });
}

function importsOf(file: string, found = new Set<string>()): Set<string> {
  for (const [, path = ''] of readFileSync(join(root, file), 'utf8').matchAll(/ from '(\.[^']+)'/g)) {
    const imported = join(dirname(file), path);
    // A program in a text of the test imports files of its own.
    if (found.has(imported) || !existsSync(join(root, imported))) continue;
    found.add(imported);
    if (imported.startsWith('test/')) importsOf(imported, found);
  }
  return found;
}

/** What is wrong with the first lines of the files. */
export function wrongGuards(files: Pick<GuardedFile, 'file' | 'guards'>[] = guardedFiles()): string[] {
  return files.flatMap(({ file, guards }) => {
    if (guards.length === 0) return [`${file}: the first line must be "// guards: <paths that it guards>".`];
    return guards
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${file}: there is no ${path}, which its first line names.`);
  });
}

/**
 * The files that do not run: none of all; of those that are due, the ones whose paths are as they were; by default the
 * nightly ones.
 */
export function skippedFiles(run: string | undefined): string[] {
  if (run === 'all') return [];
  const files = guardedFiles();
  const names = (some: GuardedFile[]) => some.map(({ file }) => file);
  if (run !== 'due') return names(files.filter(isNightly));
  const changed = changedPaths();
  if (changed === null) return [];
  return names(files.filter((file) => !isDue(file, changed)));
}

/** What every file depends on. */
const shared = ['package-lock.json', 'test/vitest.config.ts'];

/** Whether a file runs after a change of these paths. */
export function isDue({ file, guards, imports }: GuardedFile, changed: readonly string[]): boolean {
  const own = [file, ...imports, ...guards, ...shared];
  return changed.some((path) => own.some((guarded) => path === guarded || path.startsWith(`${guarded}/`)));
}

/** The paths that differ from the commit at which all files have passed; null where that commit is not known here. */
function changedPaths(): string[] | null {
  const { passedAt }: { passedAt: string } = JSON.parse(readFileSync(record, 'utf8')); // written below
  try {
    return git('diff', '--name-only', '--no-renames', passedAt, '--').split('\n');
  } catch {
    return null;
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

if (import.meta.main) {
  const [, , command] = process.argv;
  if (command === 'check') {
    const wrong = wrongGuards();
    for (const line of wrong) process.stderr.write(`${line}\n`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
  } else if (command === 'record') writeFileSync(record, `{ "passedAt": "${git('rev-parse', 'HEAD')}" }\n`);
  else {
    process.stderr.write('Usage: node test/support/nightly.ts check | record\n');
    process.exitCode = 2;
  }
}
