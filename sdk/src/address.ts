import { ConfigurationError } from './errors.ts';

const apiPath = '/api/public/v1';

/** The address of the API, from that of the platform. */
export function apiAddress(baseUrl: unknown): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigurationError(
      'baseUrl is not an address. Pass the address of the platform, such as https://pay.example.com.',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new ConfigurationError('baseUrl has a user name, a query or a fragment. Pass the address alone.');
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path.endsWith(apiPath) ? path : path + apiPath}`;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The address of a call. A path cannot lead out of the API, so the key is sent nowhere else. */
export function callAddress(api: string, path: string, query: Query = {}): string {
  const url = new URL(api + path);
  if (!path.startsWith('/') || !url.href.startsWith(`${api}/`) || url.hash !== '')
    throw new ConfigurationError('The path is not one of the API. It begins with a slash, such as /payments/process.');
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

/** The path with the identifier in its place. */
export function pathWith(template: string, id: string): string {
  const name = /\{(\w+)\}/.exec(template)?.[1] ?? 'id';
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new ConfigurationError(
      `${name} is missing. Pass the identifier, or the object that has it. Nothing was sent.`,
    );
  return template.replace(/\{\w+\}/, encodeURIComponent(id));
}

/** A path for the log: whatever may be an identifier or a secret is left out. */
export function shownPath(path: string): string {
  const [plain = ''] = path.split(/[?#]/);
  return plain.replace(/[^/]+/g, (part) => (/^([a-z][a-z-]{0,40}|v\d)$/.test(part) ? part : '{…}'));
}
