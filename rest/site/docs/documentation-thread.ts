import { type DocsFile, docsFiles, hrefOnServer, markdownAddressOf, readDocsFile } from './library.ts';
import { indexFile, type NavigationGroup, navigationOf } from './navigation.ts';
import { docsPage } from './page.ts';
import { renderPage } from './render.ts';

// Runs in a thread (pages/developers/docs.ts), since a long page takes many times longer than one request may take.

/** What to build: the page of a file, its Markdown with links to Markdown, or `/llms.txt`. */
type DocsQuestion = { kind: 'page' | 'markdown'; file: DocsFile } | { kind: 'llms'; publicUrl: string };

interface Documents {
  files: ReadonlyMap<string, DocsFile>;
  index: string;
  groups: readonly NavigationGroup[];
}

const opened: Promise<Documents> = open();

async function open(): Promise<Documents> {
  const [files, index] = await Promise.all([docsFiles(), readDocsFile(indexFile)]);
  return { files, index, groups: navigationOf(index) };
}

export async function answer(question: DocsQuestion): Promise<string> {
  const { files, index, groups } = await opened;
  if (question.kind === 'llms') return llmsText(index, groups, question.publicUrl);
  const { file } = question;
  const markdown = await readDocsFile(file.file);
  if (question.kind === 'markdown') return withLinks(file, markdown, files);
  return docsPage(file, renderPage(file, markdown, files), groups);
}

/** The Markdown of a page, whose links lead to addresses of this server. */
function withLinks(page: DocsFile, markdown: string, files: ReadonlyMap<string, DocsFile>): string {
  const addressFor = (file: DocsFile): string => (file.isPage ? markdownAddressOf(file.address) : file.address);
  const linked = (text: string): string =>
    text.replace(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
      const to = hrefOnServer(page, href, { files, addressFor });
      return to === null ? whole : `](${to})`;
    });
  // In code, brackets have other meanings.
  return markdown
    .split(/(^```.*?^```$)/ms)
    .map((part) => (part.startsWith('```') ? part : linked(part)))
    .join('');
}

function llmsText(index: string, groups: readonly NavigationGroup[], publicUrl: string): string {
  const [, about = ''] = /^# .+?\n\n(.+?)\n\n/s.exec(index) ?? [];
  const lists = groups.map(({ title, items }) => {
    const lines = items.map(
      (item) => `- [${item.title}](${publicUrl}/docs/${markdownAddressOf(item.address)}): ${item.about}`,
    );
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  return `# Partner Payments Platform\n\n> ${about.replaceAll('\n', ' ')}\n\n${lists.join('\n\n')}\n`;
}
