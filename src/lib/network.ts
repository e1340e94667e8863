import ipaddr from 'ipaddr.js';

/** An address in its shortest form, an IPv4-mapped one as IPv4. Null if it is not an address. */
export function shortestAddress(address: string): string | null {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}

/**
 * The network that a limit counts as one client: an IPv4 address, or the /64 of an IPv6 address, since a provider gives
 * one customer that many addresses. Counters are stored under it.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 4).map(toHex).join(':')}::/64` : parsed.toString();
}

function toHex(part: number): string {
  return part.toString(16);
}

/** The path and the query of the address of a request. */
export function splitAddress(url: string): { path: string; query: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/**
 * Whether a server of the web may listen at the port of a URL. Those below 1024 belong to other protocols, such as mail,
 * whose servers must not be made to read a request.
 */
export function isWebPort({ port }: URL): boolean {
  return ['', '80', '443'].includes(port) || Number(port) >= 1024;
}

/** The end of the sentence that says which ports `isWebPort` takes. */
export const webPorts = 'port 443, 80 or 1024 and above';

export function isLoopbackHost(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}
