/** Content types by file extension. No other type can be deployed, so that no browser has to sniff one. */
export const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  txt: 'text/plain',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  woff: 'font/woff',
  ttf: 'font/ttf',
  otf: 'font/otf',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  vtt: 'text/vtt',
  csv: 'text/csv',
  xml: 'application/xml',
  wasm: 'application/wasm',
  pdf: 'application/pdf',
};

const aliases: Readonly<Record<string, string>> = {
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'text/xml': 'application/xml',
  'image/jpg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
};

export const contentTypeList: readonly string[] = [...new Set(Object.values(contentTypes))];

/** Returns the content type of a file: the given one, or else that of its extension. Undefined if it is not allowed. */
export function contentTypeOf(path: string, given: string | null | undefined): string | undefined {
  if (given == null) return contentTypes[/\.([a-z0-9]+)$/.exec(path.toLowerCase())?.[1] ?? ''];
  const [essence = '', charset] = given
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) return undefined;
  const type = aliases[essence] ?? essence;
  return contentTypeList.includes(type) ? type : undefined;
}
