import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** The documentation pages for users: those of the top level, and all below docs/. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Matches a citation of a section of the contract in a code comment. */
export function citedSections(): { path: string; section: string }[] {
  return ['src', 'rest', 'prisma', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))
      .map((name) => `${folder}/${name}`)
      .flatMap((path) =>
        [...textOf(path).matchAll(/[Cc]ontract (\d+)(?: and (\d+))?/g)].flatMap(([, ...sections]) =>
          sections.filter((section) => section !== undefined).map((section) => ({ path, section })),
        ),
      ),
  );
}

/** The blocks of a page that a reader pastes into a shell, and which the tests run. */
export function shellBlocks(page: string): string[] {
  return [...textOf(page).matchAll(/```sh\n(.*?)```/gs)].map(([, lines = '']) => lines);
}

/** All blocks of a page: what stands behind their backticks, and their lines. */
export function blocksOf(page: string): { info: string; lines: string }[] {
  return [...textOf(page).matchAll(/^ *```([^\n]*)\n(.*?)^ *```$/gms)].map(([, info = '', lines = '']) => ({
    info,
    lines,
  }));
}

/** The JSON answers in the output of a shell, which may be on one line without a separator. */
export function answersOf(stdout: string): unknown[] {
  const texts = stdout.split(/\n+/).flatMap((line) => line.split(/(?<=\})(?=\{)/));
  return texts.filter((text) => text !== '').map((text) => JSON.parse(text) as unknown);
}

/** A page without its code blocks, in which brackets and paths have other meanings. */
function prose(page: string): string {
  return textOf(page).replace(/```.*?```/gs, '');
}

/** Links to files that do not exist, or to headings that the file does not have. */
export function brokenLinks(page: string): string[] {
  const targets = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', heading] = target.split('#');
    const file = path === '' ? join(root, page) : join(root, dirname(page), path);
    if (!existsSync(file)) return true;
    return heading !== undefined && !headingsOf(relative(root, file)).includes(heading);
  });
}

/** The headings of a page as GitHub names them in links. */
function headingsOf(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/**
 * Paths of the repository that a page names in backticks and that do not exist. A `<name>` or `*` in a path matches any
 * name.
 */
export function missingPaths(page: string): string[] {
  const named = [...prose(page).matchAll(/`((?:src|rest|test|prisma|docs)\/[^`\s]*)`/g)].map(([, path = '']) => path);
  return named.filter(
    (path) =>
      !matches(
        root,
        path.split('/').filter((part) => part !== ''),
      ),
  );
}

function matches(folder: string, [part, ...rest]: readonly string[]): boolean {
  if (part === undefined) return true;
  if (!/[<*]/.test(part)) return existsSync(join(folder, part)) && matches(join(folder, part), rest);
  const names = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
  const pattern = new RegExp(`^${part.replace(/[.+()]/g, '\\$&').replace(/<[^>]*>|\*/g, '[^/]+')}$`);
  return names.some((name) => pattern.test(name) && matches(join(folder, name), rest));
}
