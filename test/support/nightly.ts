import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Files `*.nightly.test.ts` run by night, and whenever a path has changed that their first line names after `guards:`.
//   node test/support/nightly.ts check    fails if a file names no path, or one that does not exist
//   node test/support/nightly.ts record   stores the present commit as the one at which all of them have passed

const root = join(import.meta.dirname, '..', '..');
const record = join(root, 'test', 'nightly.json');

interface NightlyFile {
  /** Relative to the repository, as the paths that it guards. */
  file: string;
  guards: string[];
}

function nightlyFiles(): NightlyFile[] {
  return globSync('test/**/*.nightly.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
    .sort()
    .map((file) => {
      const [, guards = ''] = /^\/\/ guards: (.+)/.exec(readFileSync(join(root, file), 'utf8')) ?? [];
      return { file, guards: guards.split(' ').filter((path) => path !== '') };
    });
}

/** What is wrong with the first lines of the files. */
export function wrongGuards(files = nightlyFiles()): string[] {
  return files.flatMap(({ file, guards }) => {
    if (guards.length === 0) return [`${file}: the first line must be "// guards: <paths that it guards>".`];
    return guards
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${file}: there is no ${path}, which its first line names.`);
  });
}

/** The files that do not run: none of all, those whose paths are as they were, or, by default, every one. */
export function skippedFiles(run: string | undefined): string[] {
  if (run === 'all') return [];
  const files = nightlyFiles();
  if (run !== 'due') return files.map(({ file }) => file);
  const changed = changedPaths();
  if (changed === null) return [];
  const isDue = ({ file, guards }: NightlyFile): boolean =>
    changed.some((path) => path === file || guards.some((guard) => path === guard || path.startsWith(`${guard}/`)));
  return files.filter((file) => !isDue(file)).map(({ file }) => file);
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
