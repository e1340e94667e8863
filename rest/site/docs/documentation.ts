import { type Asset, createAsset } from '../asset.ts';
import { type DocsFile, docsFiles, hrefOnServer, markdownAddressOf, readDocsFile, readPicture } from './library.ts';
import { indexFile, type NavigationGroup, navigationOf } from './navigation.ts';
import { docsPage } from './page.ts';
import { renderPage } from './render.ts';

/** One answer of the documentation. */
export interface Answer {
  kind: 'page' | 'file';
  asset: Asset;
}

/**
 * The documentation, as it is at the first request. Each page is rendered once. An address is looked up in the list of
 * all files, and is never part of a path.
 */
export class Documentation {
  readonly #files = docsFiles();
  readonly #index = readDocsFile(indexFile);
  readonly #groups: readonly NavigationGroup[] = navigationOf(this.#index);
  readonly #pagesAsMarkdown = new Map(
    [...this.#files.values()].filter(({ isPage }) => isPage).map((file) => [markdownAddressOf(file.address), file]),
  );
  readonly #made = new Map<string, Answer>();
  #llms: Asset | undefined;

  /** What is at an address below `/docs/`. */
  find(address: string): Answer | undefined {
    const made = this.#made.get(address) ?? this.#make(address);
    if (made) this.#made.set(address, made);
    return made;
  }

  /** An address that is there and differs from this one by the slash at its end, if there is one. */
  nearest(address: string): string | undefined {
    const other = address.endsWith('/') ? address.slice(0, -1) : `${address}/`;
    return this.#files.has(other) ? other : undefined;
  }

  /** The text for language models: what the documentation consists of, with links to Markdown. */
  llms(publicUrl: string): Asset {
    return (this.#llms ??= createAsset('llms.txt', llmsText(this.#index, this.#groups, publicUrl)));
  }

  #make(address: string): Answer | undefined {
    const file = this.#files.get(address);
    if (file?.isPage) {
      const rendered = renderPage(file, readDocsFile(file.file), this.#files);
      return { kind: 'page', asset: createAsset('page.html', docsPage(file, rendered, this.#groups)) };
    }
    if (file?.isPicture) return { kind: 'file', asset: createAsset(file.file, readPicture(file.file)) };
    if (file) return { kind: 'file', asset: createAsset('sample.txt', readDocsFile(file.file)) };
    const page = this.#pagesAsMarkdown.get(address);
    return page && { kind: 'file', asset: createAsset('page.md', this.#withLinks(page)) };
  }

  /** The Markdown of a page, whose links lead to what this server has. */
  #withLinks(page: DocsFile): string {
    const addressFor = (file: DocsFile): string => (file.isPage ? markdownAddressOf(file.address) : file.address);
    const linked = (text: string): string =>
      text.replace(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
        const to = hrefOnServer(page, href, { files: this.#files, addressFor });
        return to === null ? whole : `](${to})`;
      });
    // Code has brackets with other meanings.
    return readDocsFile(page.file)
      .split(/(^```.*?^```$)/ms)
      .map((part) => (part.startsWith('```') ? part : linked(part)))
      .join('');
  }
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
