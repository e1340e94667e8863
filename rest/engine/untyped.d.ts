/** What is used of packages that Express installs without types. */

declare module 'negotiator' {
  /** What a client accepts, by the headers of its request. */
  export default class Negotiator {
    constructor(request: { headers: import('node:http').IncomingHttpHeaders });

    /** Those that the client accepts, the one that it prefers first. */
    encodings(available: readonly string[]): string[];

    /** The one that the client prefers; undefined if it accepts none. Of equal ones the first. */
    language(available: readonly string[]): string | undefined;

    /** The same for media types. */
    mediaType(available: readonly string[]): string | undefined;
  }
}

declare module 'fresh' {
  /** Whether the client has the content with this tag. */
  export default function fresh(request: { 'if-none-match'?: string }, response: { etag: string }): boolean;
}

declare module 'cookie' {
  /** The decoded values by name; of a name that is sent several times the first. */
  export function parse(header: string): Partial<Record<string, string>>;
  /** A `Set-Cookie` header; `maxAge` is in seconds. */
  export function serialize(
    name: string,
    value: string,
    options: { path: string; httpOnly: boolean; secure: boolean; sameSite: 'lax' | 'strict'; maxAge?: number },
  ): string;
}
