/** What other domains may use of this one. No file of this domain imports it. */

export { pageUrlOf } from './page-url.ts';
export { blobCache, pageCaches } from './serving/pages.ts';
export { servePlugin } from './serving/serve-plugin.ts';
