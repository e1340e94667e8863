import { ownThread } from '../../../src/runtime/own-thread.ts';
import { type Asset, createAsset } from '../asset.ts';
import { once } from '../once.ts';
import type { answer } from './documentation-thread.ts';
import { docsFiles, markdownAddressOf, readDocsFile, readPicture } from './library.ts';

/**
 * The documentation, as it is at the first request. Each answer is made once: pages by a thread of their own. An
 * address is looked up in the list of all files, and is never part of a path, so that what is kept is bounded by the
 * list.
 */
export class Documentation {
  readonly #addresses = once(() => this.#list());
  readonly #render = ownThread<typeof answer>(new URL('documentation-thread.ts', import.meta.url));
  readonly #llms: () => Promise<Asset>;

  constructor(publicUrl: string) {
    this.#llms = once(async () => createAsset('llms.txt', await this.#render({ kind: 'llms', publicUrl })));
  }

  /** What is at an address below `/docs/`. */
  async find(address: string): Promise<Asset | undefined> {
    return (await this.#addresses()).get(address)?.();
  }

  /** An address that is there and differs from this one by the slash at its end, if there is one. */
  async nearest(address: string): Promise<string | undefined> {
    const other = address.endsWith('/') ? address.slice(0, -1) : `${address}/`;
    return (await this.#addresses()).has(other) ? other : undefined;
  }

  /** The text for language models: what the documentation consists of, with links to Markdown. */
  llms(): Promise<Asset> {
    return this.#llms();
  }

  async #list(): Promise<Map<string, () => Promise<Asset>>> {
    const files = [...(await docsFiles()).values()];
    return new Map([
      ...files
        .filter(({ isPage }) => isPage)
        .map((file) => {
          const make = async () => createAsset('page.md', await this.#render({ kind: 'markdown', file }));
          return [markdownAddressOf(file.address), once(make)] as const;
        }),
      ...files.map((file) => {
        const make = async (): Promise<Asset> => {
          if (file.isPage) return createAsset('page.html', await this.#render({ kind: 'page', file }));
          if (file.isPicture) return createAsset(file.file, await readPicture(file.file));
          return createAsset('sample.txt', await readDocsFile(file.file));
        };
        return [file.address, once(make)] as const;
      }),
    ]);
  }
}
