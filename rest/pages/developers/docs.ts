import { type RequestHandler, Router } from 'express';
import { ownThread } from '../../../src/runtime/own-thread.ts';
import type { Config } from '../../../src/settings/config.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import type { answer } from '../../site/docs/documentation-thread.ts';
import { docsFiles, hrefBetween, markdownAddressOf, readDocsFile, readPicture } from '../../site/docs/library.ts';
import { docsPolicy } from '../../site/docs/page.ts';
import { type Asset, createAsset, once, sendAsset } from '../frame/assets.ts';

/**
 * The documentation, as of the first request. Each answer is created once: pages by a separate thread. An address is
 * looked up in the list of all files and is never part of a path, so the cache is bounded by the list.
 */
class Documentation {
  readonly #addresses = once(() => this.#list());
  readonly #render = ownThread<typeof answer>(new URL('../../site/docs/documentation-thread.ts', import.meta.url));
  readonly #llms: () => Promise<Asset>;

  constructor(publicUrl: string) {
    this.#llms = once(async () => createAsset('llms.txt', await this.#render({ kind: 'llms', publicUrl })));
  }

  /** The answer for an address below `/docs/`. */
  async find(address: string): Promise<Asset | undefined> {
    return (await this.#addresses()).get(address)?.();
  }

  /** An existing address that differs from this one only by a slash at its end, if there is one. */
  async nearest(address: string): Promise<string | undefined> {
    const other = address.endsWith('/') ? address.slice(0, -1) : `${address}/`;
    return (await this.#addresses()).has(other) ? other : undefined;
  }

  /** The text for language models: the list of the documentation, with links to Markdown. */
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

/** `/docs/`: the documentation of this version as pages and as Markdown, and `/llms.txt`, which lists it. */
export function docsRoutes({ docs, publicUrl }: Pick<Config, 'docs' | 'publicUrl'>): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  if (!docs) return router;
  const documentation = new Documentation(publicUrl);
  router.get('/docs', (_request, response) => response.set('Cache-Control', 'no-cache').redirect(302, 'docs/'));
  router.get(['/docs/', '/docs/*path'], async (request, response, next) => {
    exchangeOf(request).route = '/docs/*path';
    const address = decodeURIComponent(request.path).slice('/docs/'.length);
    const found = await documentation.find(address);
    if (found) {
      response.set({ 'Content-Security-Policy': docsPolicy, 'Referrer-Policy': 'no-referrer' });
      return sendAsset(request, response, found, 'no-cache');
    }
    const nearest = await documentation.nearest(address);
    if (nearest === undefined) return next();
    response.set('Cache-Control', 'no-cache').redirect(302, hrefBetween(address, nearest));
  });
  router.get('/llms.txt', async (request, response) => {
    exchangeOf(request).route = '/llms.txt';
    await sendAsset(request, response, await documentation.llms(), 'no-cache');
  });
  return router;
}
