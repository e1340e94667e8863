interface CookieOptions {
  path: string;
  httpOnly: true;
  sameSite: 'lax' | 'strict';
  secure: boolean;
}

export interface Cookie {
  name: string;
  options: CookieOptions;
}

/**
 * The name and the options of a cookie of the platform, the same wherever it is set, read or removed. With an https
 * address its name has a prefix by which browsers take it over https only. `__Host-` is also refused from another host:
 * without it, a site on a neighboring host could plant its own session. It demands the path `/`; a cookie with a
 * narrower path, as this platform has it below its address, gets `__Secure-`.
 */
export function cookieAt(
  publicUrl: string,
  name: string,
  { path = '/', sameSite = 'lax' }: { path?: string; sameSite?: 'lax' | 'strict' } = {},
): Cookie {
  const prefix = cookiePrefix(publicUrl, path);
  const below = path === '/' ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  return {
    name: `${prefix}${name}`,
    options: { path: `${below}${path}`, httpOnly: true, sameSite, secure: prefix !== '' },
  };
}

/** Empty over http, as on this machine: browsers refuse the prefixes there. */
export function cookiePrefix(publicUrl: string, path = '/'): '' | '__Host-' | '__Secure-' {
  if (!publicUrl.startsWith('https:')) return '';
  return path === '/' ? '__Host-' : '__Secure-';
}
