/** What other domains may use of this one. No file of this domain imports it. */
export { blobCache } from './blob-cache.ts';
export { pageCaches } from './page-cache.ts';
export { pageUrlOf } from './page-url.ts';
export { servePlugin } from './serve-plugin.ts';
