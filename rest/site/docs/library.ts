import { access, readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join, posix, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** Files outside of `docs/`, with their address below `/docs/`. */
const placed: Readonly<Record<string, string>> = {
  LICENSE: 'LICENSE',
  'README.md': 'about',
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'SECURITY.md': 'reporting-vulnerabilities',
  'sdk/README.md': 'sdk',
};

/** The types of files that pages link to and that are sent unchanged. */
const sampleTypes: readonly string[] = ['.ts', '.js', '.html', '.css', '.sh', '.yaml', '.json', '.cfg'];
const pictureType = '.webp';

/** A file of the documentation. */
export interface DocsFile {
  /** Its path in the repository. */
  file: string;
  /** Its address below `/docs/`, without a leading slash; for a page that of its HTML, such as `guides/payments`. */
  address: string;
  isPage: boolean;
  isPicture: boolean;
}

/** All files of the documentation that this server has, by address. No other file is ever read. */
export async function docsFiles(): Promise<Map<string, DocsFile>> {
  const found = (
    await Promise.all([...Object.keys(placed).map(ifPresent), namesBelow('docs'), namesBelow('sdk/examples')])
  ).flat();
  return new Map(
    found.flatMap((file) => {
      const isPage = file.endsWith('.md');
      const isPicture = extname(file) === pictureType;
      if (!isPage && !isPicture && !(file in placed) && !sampleTypes.includes(extname(file))) return [];
      const address = addressOf(file);
      return [[address, { file, address, isPage, isPicture }] as const];
    }),
  );
}

/** `docs/self-hosting/README.md` is `self-hosting/`, `docs/guides/sdk.md` is `guides/sdk`. */
export function addressOf(file: string): string {
  const below = placed[file] ?? (file.startsWith('docs/') ? file.slice('docs/'.length) : file);
  return below.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '');
}

/** The address of a page as Markdown. */
export function markdownAddressOf(address: string): string {
  return address === '' || address.endsWith('/') ? `${address}README.md` : `${address}.md`;
}

export function readDocsFile(file: string): Promise<string> {
  return readFile(join(root, file), 'utf8');
}

export function readPicture(file: string): Promise<Buffer> {
  return readFile(join(root, file));
}

function ifPresent(file: string): Promise<string[]> {
  return access(join(root, file)).then(
    () => [file],
    () => [],
  );
}

async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(folder, relative(join(root, folder), entry.parentPath), entry.name))
    .sort();
}

/**
 * A relative link between two addresses, so that it works under any host name and prefix. An address that starts with
 * `../` is outside of `/docs/`.
 */
export function hrefBetween(from: string, to: string): string {
  const own = posix.join('/docs/', from);
  const other = posix.join('/docs/', to);
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
  const folder = posix.relative(folderOf(own), folderOf(other));
  return `${folder === '' ? './' : `${folder}/`}${other.slice(folderOf(other).length)}`;
}

/** The address of a server on the reader's machine in the pages. On a server, such a link leads to that server. */
const localServer = 'http://localhost:4000/';

/**
 * The target of a page's link on this server; null if it is a file outside of the documentation. `addressFor` decides
 * whether pages link to pages or to their Markdown.
 */
export function hrefOnServer(
  page: DocsFile,
  href: string,
  { files, addressFor }: { files: ReadonlyMap<string, DocsFile>; addressFor: (file: DocsFile) => string },
): string | null {
  const own = addressFor(page);
  if (href.startsWith(localServer)) return hrefBetween(own, `../${href.slice(localServer.length)}`);
  if (/^(https?:\/\/|mailto:|#)/.test(href)) return href;
  const [path = '', fragment] = href.split('#', 2);
  const target = files.get(addressOf(posix.normalize(posix.join(dirname(page.file), path))));
  if (!target) return null;
  return hrefBetween(own, addressFor(target)) + (fragment === undefined ? '' : `#${fragment}`);
}
