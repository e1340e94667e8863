import type { StoredAsset } from './served-plugin.ts';

/** The length of the hash in an address. */
const hashShownLength = 16;

/** Whether the parameter `v` of an address names this content, so that the answer never changes. */
export function isHashOf(version: string | null, sha256: string): boolean {
  return version !== null && version.length >= hashShownLength && sha256.startsWith(version);
}

/**
 * Adds the hash of a file to its addresses in a page, so that browsers can cache the file permanently. An address that
 * names no file of the plugin is left unchanged.
 */
export function withHashedAddresses(
  html: string,
  htmlPath: string,
  root: string,
  assets: ReadonlyMap<string, StoredAsset>,
): string {
  return html.replace(
    /(<(?:script|link|img|source|video|audio)\b[^<>]*?\s(?:src|href)=)(?:"([^"<>]*)"|'([^'<>]*)')/gi,
    (whole, before: string, double?: string, single?: string) => {
      const url = URL.parse(double ?? single ?? '', `http://plugin/${htmlPath}`);
      const asset =
        url?.origin === 'http://plugin' && url.search === '' ? assets.get(url.pathname.slice(1)) : undefined;
      return asset ? `${before}"${root}/${asset.path}?v=${asset.sha256.slice(0, hashShownLength)}"` : whole;
    },
  );
}

/**
 * Inserts data as a JSON block at the start of the head. Browsers do not run it, and no string in it can end the block.
 */
export function withData(html: string, data: object): string {
  const json = JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const block = `<script type="application/json" id="plugin-data">${json}</script>`;
  const head =
    /<head(?:\s[^<>]*)?>/i.exec(html) ?? /<html(?:\s[^<>]*)?>/i.exec(html) ?? /^\s*<!doctype[^<>]*>/i.exec(html);
  const position = head ? head.index + head[0].length : 0;
  return html.slice(0, position) + block + html.slice(position);
}
