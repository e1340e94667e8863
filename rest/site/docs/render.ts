import { getDefaults, lexer, parser, Renderer, type Tokens } from 'marked';
import { escapeHtml } from '../../../src/lib/text.ts';
import { type DocsFile, hrefOnServer, markdownAddressOf } from './library.ts';

export interface Heading {
  id: string;
  text: string;
}

export interface RenderedPage {
  /** The text of the first heading. */
  title: string;
  html: string;
  /** The headings of the second level. */
  headings: readonly Heading[];
}

/** Renders a page to HTML. HTML in the page is shown as text, and comments are left out. */
export function renderPage(page: DocsFile, markdown: string, files: ReadonlyMap<string, DocsFile>): RenderedPage {
  const renderer = new PageRenderer((href) =>
    hrefOnServer(page, href, { files, addressFor: ({ address }) => address }),
  );
  const html = parser(lexer(markdown), { ...getDefaults(), renderer });
  const { found } = renderer;
  return {
    title: found.find(({ depth }) => depth === 1)?.text ?? page.file,
    html,
    headings: found.filter(({ depth }) => depth === 2),
  };
}

/** The Markdown of a page, whose links lead to addresses of this server. */
export function markdownOnServer(page: DocsFile, markdown: string, files: ReadonlyMap<string, DocsFile>): string {
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

class PageRenderer extends Renderer {
  readonly found: (Heading & { depth: number })[] = [];
  readonly #hrefOf: (href: string) => string | null;

  constructor(hrefOf: (href: string) => string | null) {
    super();
    this.#hrefOf = hrefOf;
  }

  /** Adds the anchor that GitHub gives the heading. */
  override heading({ tokens, depth, text }: Tokens.Heading): string {
    const slug = slugOf(text);
    const same = this.found.filter(({ id }) => id.replace(/-\d+$/, '') === slug || id === slug).length;
    const id = same === 0 ? slug : `${slug}-${same}`;
    const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
    this.found.push({ id, text: plain, depth });
    const anchor = depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
    return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
  }

  /** A link to a file that this server does not have is rendered as its text. */
  override link({ href, tokens }: Tokens.Link): string {
    const content = this.parser.parseInline(tokens);
    const to = this.#hrefOf(href);
    return to === null ? content : `<a href="${escapeHtml(to)}">${content}</a>`;
  }

  /** Wide tables scroll separately, also by the keyboard. */
  override table(token: Tokens.Table): string {
    return `<div class="scrolls" tabindex="0">${super.table(token)}</div>\n`;
  }

  override code({ text }: Tokens.Code): string {
    return `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`;
  }

  /** An image of another server is rendered as its text, since pages load nothing from other servers. */
  override image({ text, href }: Tokens.Image): string {
    const from = this.#hrefOf(href);
    if (from === null || from.includes(':')) return escapeHtml(text);
    return `<img src="${escapeHtml(from)}" alt="${escapeHtml(text)}" loading="lazy">`;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return text.startsWith('<!--') ? '' : escapeHtml(text);
  }
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
