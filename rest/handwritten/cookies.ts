import type { IncomingMessage } from 'node:http';

/** The value of a cookie; empty without it. */
export function cookieNamed({ headers: { cookie = '' } }: Pick<IncomingMessage, 'headers'>, name: string): string {
  const found = cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
}
