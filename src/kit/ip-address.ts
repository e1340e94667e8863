import ipaddr from 'ipaddr.js';

/** An address in its shortest form, an IPv4-mapped one as IPv4. Null if it is not an address. */
export function shortestAddress(address: string): string | null {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}
