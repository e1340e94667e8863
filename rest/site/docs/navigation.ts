import { posix } from 'node:path';
import { lexer, type Tokens } from 'marked';
import { addressOf, markdownAddressOf } from './library.ts';

/** A page in the index of the documentation. */
interface NavigationItem {
  address: string;
  title: string;
  /** The subject of the page. */
  about: string;
}

export interface NavigationGroup {
  title: string;
  items: readonly NavigationItem[];
}

/** The index of the documentation. Its lists are the navigation of the pages, and the content of `/llms.txt`. */
export const indexFile = 'docs/README.md';

/** The groups of the index: each heading of the second level, and the list below it. */
export function navigationOf(indexMarkdown: string): NavigationGroup[] {
  const groups: { title: string; items: NavigationItem[] }[] = [];
  for (const token of lexer(indexMarkdown) as Tokens.Generic[]) {
    if (token.type === 'heading' && token['depth'] === 2) groups.push({ title: String(token['text']), items: [] });
    if (token.type === 'list') groups.at(-1)?.items.push(...(token as Tokens.List).items.flatMap(itemOf));
  }
  return groups;
}

/** `- [Payments](guides/payments.md): hold, capture, void, refund` */
function itemOf({ text }: Tokens.ListItem): NavigationItem[] {
  const [, title = '', href = '', about = ''] = /^\[([^\]]+)\]\(([^)]+\.md)\): (.+)$/s.exec(text) ?? [];
  return href === ''
    ? []
    : [{ address: addressOf(posix.join('docs', href)), title, about: about.replaceAll('\n', ' ') }];
}

interface Addresses {
  publicUrl: string;
  sandboxUrl: string | null;
}

/** The text for language models: the list of the documentation, with links to Markdown. */
export function llmsText(indexMarkdown: string, { publicUrl, sandboxUrl }: Addresses): string {
  const [, about = ''] = /^# .+?\n\n(.+?)\n\n/s.exec(indexMarkdown) ?? [];
  const lists = navigationOf(indexMarkdown).map(({ title, items }) => {
    const lines = items.map(
      (item) => `- [${item.title}](${publicUrl}/docs/${markdownAddressOf(item.address)}): ${item.about}`,
    );
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const sandbox = sandboxUrl === null ? '' : `The sandbox is at ${sandboxUrl}.\n\n`;
  return `# Partner Payments Platform\n\n> ${about.replaceAll('\n', ' ')}\n\n${sandbox}${lists.join('\n\n')}\n`;
}
