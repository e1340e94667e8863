import { type LookupAddress, Resolver } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type Lookup, localAddresses } from './addresses.ts';

export interface NamesOptions {
  /** Name servers as `address:port`; by default those of the system. */
  servers?: readonly string[];
  /** How long one look-up may take. */
  timeoutMs?: number;
  /** Maximum number of look-ups in progress: of one site, which is a name's last two labels, and in total. */
  siteMax?: number;
  totalMax?: number;
  hostsFile?: string;
}

export interface Names {
  lookup: Lookup;
  /** Ends every look-up in progress with an error. */
  cancel(): void;
}

/**
 * Resolves names that tenants choose. `dns.lookup` would block one of the four threads that the process also uses for
 * password hashes and files, for every name whose server is slow; this queries the name servers over sockets. Names of
 * the hosts file are resolved too.
 */
export function createNames({
  servers,
  timeoutMs = 3_000,
  siteMax = 32,
  totalMax = 512,
  hostsFile = '/etc/hosts',
}: NamesOptions = {}): Names {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  if (servers) resolver.setServers(servers);
  const bySite = new Map<string, number>();
  let total = 0;

  function enter(site: string): boolean {
    const count = bySite.get(site) ?? 0;
    if (total >= totalMax || count >= siteMax) return false;
    total += 1;
    bySite.set(site, count + 1);
    return true;
  }

  function leave(site: string): void {
    total -= 1;
    const count = (bySite.get(site) ?? 1) - 1;
    if (count > 0) bySite.set(site, count);
    else bySite.delete(site);
  }

  async function addressesOf(name: string, family: number): Promise<LookupAddress[]> {
    const known = localAddresses(name) ?? (await addressesInFile(hostsFile, name));
    if (known.length > 0) return ofFamily(known, family);
    const site = name.split('.').slice(-2).join('.');
    if (!enter(site)) throw failure('EAI_AGAIN', `too many look-ups of ${site} are in progress`);
    try {
      return ofFamily(await ask(resolver, name, timeoutMs), family);
    } finally {
      leave(site);
    }
  }

  return {
    lookup(hostname, { family = 0 }, done) {
      const name = hostname.replace(/\.$/, '').toLowerCase();
      addressesOf(name, family).then(
        (addresses) =>
          addresses.length > 0 ? done(null, addresses) : done(failure('ENOTFOUND', `${name} has no address`), []),
        (error: NodeJS.ErrnoException) => done(error, []),
      );
    },
    cancel: () => resolver.cancel(),
  };
}

/** Queries both families concurrently. If one fails, the addresses of the other are returned. */
async function ask(resolver: Resolver, name: string, timeoutMs: number): Promise<string[]> {
  const query = (method: 'resolve4' | 'resolve6'): Promise<string[]> =>
    new Promise((found, failed) => {
      resolver[method](name, (error, addresses) => (error ? failed(error) : found(addresses)));
    });
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(failure('ETIMEOUT', `no name server answered about ${name}`)), timeoutMs);
  });
  try {
    const requested = Promise.allSettled([query('resolve4'), query('resolve6')]);
    const results = await Promise.race([requested, tooLate]);
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const failed = results.find((result) => result.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason as Error; // the resolver rejects with errors only
    return addresses;
  } finally {
    clearTimeout(timer);
  }
}

function ofFamily(addresses: readonly string[], family: number): LookupAddress[] {
  return addresses
    .map((address) => ({ address, family: isIP(address) }))
    .filter((one) => one.family !== 0 && (family === 0 || one.family === family));
}

/** The file is short and read for each look-up, so that a change applies immediately. */
async function addressesInFile(path: string, name: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return names.includes(name) ? [address] : [];
  });
}

function failure(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${message}.`), { code });
}
