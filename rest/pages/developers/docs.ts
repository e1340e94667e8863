import { type RequestHandler, Router } from 'express';
import type { Config } from '../../../src/settings/config.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import {
  type DocsFile,
  docsFiles,
  hrefBetween,
  markdownAddressOf,
  readDocsFile,
  readPicture,
} from '../../site/docs/library.ts';
import { indexFile, llmsText, navigationOf } from '../../site/docs/navigation.ts';
import { docsPage, docsPolicy } from '../../site/docs/page.ts';
import { markdownOnServer, renderPage } from '../../site/docs/render.ts';
import { type Asset, createAsset, once, sendAsset } from '../frame/assets.ts';

/**
 * The answers of the documentation by their address below `/docs/`, as of the first request. Each is made once, at the
 * first request for it: the longest page takes 15 milliseconds. An address is never part of a path, so what is kept is
 * bounded by the list of files.
 */
async function documentation(): Promise<Map<string, () => Promise<Asset>>> {
  const files = await docsFiles();
  const groups = navigationOf(await readDocsFile(indexFile));
  async function htmlOf(file: DocsFile): Promise<Asset> {
    const rendered = renderPage(file, await readDocsFile(file.file), files);
    return createAsset('page.html', docsPage(file, rendered, groups));
  }
  async function markdownOf(file: DocsFile): Promise<Asset> {
    return createAsset('page.md', markdownOnServer(file, await readDocsFile(file.file), files));
  }
  const answers = new Map<string, () => Promise<Asset>>();
  for (const file of files.values()) {
    if (file.isPage)
      answers.set(
        markdownAddressOf(file.address),
        once(() => markdownOf(file)),
      );
    answers.set(
      file.address,
      once(async () => {
        if (file.isPage) return htmlOf(file);
        if (file.isPicture) return createAsset(file.file, await readPicture(file.file));
        return createAsset('sample.txt', await readDocsFile(file.file));
      }),
    );
  }
  return answers;
}

/** `/docs/`: the documentation of this version as pages and as Markdown, and `/llms.txt`, which lists it. */
export function docsRoutes({ docs, ...addresses }: Pick<Config, 'docs' | 'publicUrl' | 'sandboxUrl'>): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  if (!docs) return router;
  const opened = once(documentation);
  const llms = once(async () => createAsset('llms.txt', llmsText(await readDocsFile(indexFile), addresses)));
  router.get('/docs', (_request, response) => response.set('Cache-Control', 'no-cache').redirect(302, 'docs/'));
  router.get(['/docs/', '/docs/*path'], async (request, response, next) => {
    exchangeOf(request).route = '/docs/*path';
    const address = decodeURIComponent(request.path).slice('/docs/'.length);
    const answers = await opened();
    const answer = answers.get(address);
    if (answer) {
      response.set({ 'Content-Security-Policy': docsPolicy, 'Referrer-Policy': 'no-referrer' });
      return sendAsset(request, response, await answer(), 'no-cache');
    }
    const nearest = address.endsWith('/') ? address.slice(0, -1) : `${address}/`;
    if (!answers.has(nearest)) return next();
    response.set('Cache-Control', 'no-cache').redirect(302, hrefBetween(address, nearest));
  });
  router.get('/llms.txt', async (request, response) => {
    await sendAsset(request, response, await llms(), 'no-cache');
  });
  return router;
}
