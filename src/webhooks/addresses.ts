import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whether an address is of the public internet. What is not named as public is refused, so that a new special range is closed until somebody opens it. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text); // an IPv4 address written as an IPv6 one is judged as what it is
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  // Global unicast is 2000::/3. The rest holds ranges no list names, such as ::7f00:1, an old spelling of 127.0.0.1.
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** The address in a URL's host when it is written out there. The URL parser has turned decimal, octal and hexadecimal spellings into the usual one. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}

export function isLocalName({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost');
}

export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';

  constructor() {
    super('The address is of a private network.');
  }
}

/** The part of `dns.lookup` that sockets use: every address of a name. */
export type Lookup = (
  hostname: string,
  options: { all: true; family?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export const systemNames: Lookup = (hostname, options, done) => systemLookup(hostname, { ...options, all: true }, done);

/**
 * A lookup for sockets that refuses a name as soon as one of its addresses is not public. The socket connects to what is checked
 * here and to nothing else, so a name that changes between a check and a connect gains nothing.
 */
export function publicOnly(lookup: Lookup) {
  return (
    hostname: string,
    options: { all?: boolean | undefined; family?: number | string | undefined },
    done: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    lookup(
      hostname,
      { all: true, family: typeof options.family === 'number' ? options.family : 0 },
      (error, addresses) => {
        const [first] = addresses ?? [];
        if (error || !first) return done(error ?? new Error(`${hostname} has no address.`), []);
        if (!addresses.every(({ address }) => isPublicAddress(address))) return done(new RefusedAddress(), []);
        if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      },
    );
  };
}
