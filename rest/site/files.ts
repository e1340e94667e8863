import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Request, type RequestHandler, Router } from 'express';
import { tokensCss } from '../../src/look/tokens.ts';
import { nameExchange } from '../engine/exchange.ts';
import { createAsset, forever, sendAsset } from './asset.ts';
import { mark } from './mark.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, 'files', file), 'utf8');

/** The files that the platform's pages share. The name of each contains the hash of its content. */
const files = {
  style: createAsset('platform.css', `${tokensCss}\n${read('platform.css')}`),
  script: createAsset('page.js', read('page.js')),
  mark: createAsset('mark.svg', mark),
  docsStyle: createAsset('docs.css', read('docs.css')),
  docsScript: createAsset('docs.js', read('docs.js')),
} as const;

/** Paths from the root of the server, without the leading slash. */
export const fileUrls = {
  style: `assets/${files.style.name}`,
  script: `assets/${files.script.name}`,
  mark: `assets/${files.mark.name}`,
  docsStyle: `assets/${files.docsStyle.name}`,
  docsScript: `assets/${files.docsScript.name}`,
} as const;

export function siteFileRoutes(): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  for (const asset of Object.values(files))
    router.get(`/assets/${asset.name}`, nameExchange, (request: Request, response) =>
      sendAsset(request, response, asset, forever),
    );
  return router;
}
