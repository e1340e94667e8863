import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whether an address belongs to the public internet. Ranges not known as public are rejected, including new ones. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text); // an IPv4 address in IPv6 form is checked as IPv4
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  // Global unicast is 2000::/3. Other addresses include forms that no list names, such as ::7f00:1 for 127.0.0.1.
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/**
 * The IP address in a URL's host, or null if the host is a name. The URL parser has normalized decimal, octal and
 * hexadecimal forms.
 */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}

export function isLocalName({ hostname }: URL): boolean {
  return localAddresses(hostname.replace(/\.$/, '').toLowerCase()) !== undefined;
}

/** The addresses of names that mean this machine, for which no name server is queried. */
export function localAddresses(name: string): string[] | undefined {
  return name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined;
}

export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';

  constructor() {
    super('The address is of a private network.');
  }
}

/** The form of `dns.lookup` that sockets use: it returns every address of a name. */
export type Lookup = (
  hostname: string,
  options: { all: true; family?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A lookup for sockets that rejects a name if one of its addresses is not allowed. The socket connects only to
 * addresses checked here, so that a name cannot change between the check and the connection (DNS rebinding).
 */
export function allowedOnly(lookup: Lookup, isAllowed: (address: string) => boolean) {
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
        if (!addresses.every(({ address }) => isAllowed(address))) return done(new RefusedAddress(), []);
        if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      },
    );
  };
}
