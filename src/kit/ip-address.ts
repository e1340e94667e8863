import ipaddr from 'ipaddr.js';

/** An address in its shortest form, an IPv4-mapped one as IPv4. Null if it is not an address. */
export function shortestAddress(address: string): string | null {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}

/** What one client can be assumed to hold of addresses: one of IPv4, and the /64 network of one of IPv6. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 4).map(toHex).join(':')}::/64` : parsed.toString();
}

function toHex(part: number): string {
  return part.toString(16);
}
