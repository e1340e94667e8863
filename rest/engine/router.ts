import type { Endpoint } from './endpoint.ts';

export type Route =
  | { kind: 'found'; endpoint: Endpoint; params: Record<string, string> }
  | { kind: 'wrongMethod'; path: string; allow: string }
  | { kind: 'unknown' };

/** All endpoints of one path. */
interface PathEntry {
  path: string;
  segments: readonly string[];
  methods: Map<string, Endpoint>;
  allow: string;
}

/**
 * Finds the endpoint of a path. The path is matched before the method, so that `GET /payments/process` is a wrong
 * method and not the payment `process`. A path with a trailing slash does not exist.
 */
export function createRouter(endpoints: readonly Endpoint[]): (method: string, path: string) => Route {
  const { literal, patterns } = entriesOf(endpoints);
  return (method, path) => {
    const entry = literal.get(path);
    if (entry) return choose(entry, method, []);
    const segments = path.split('/');
    for (const pattern of patterns) {
      if (!matches(pattern.segments, segments)) continue;
      const values = decode(pattern.segments, segments);
      return values ? choose(pattern, method, values) : { kind: 'unknown' };
    }
    return { kind: 'unknown' };
  };
}

function entriesOf(endpoints: readonly Endpoint[]): { literal: Map<string, PathEntry>; patterns: PathEntry[] } {
  const entries = new Map<string, PathEntry>();
  for (const endpoint of endpoints) {
    const key = endpoint.path.replace(/:\w+/g, ':');
    const entry = entries.get(key) ?? {
      path: endpoint.path,
      segments: endpoint.path.split('/'),
      methods: new Map(),
      allow: '',
    };
    const duplicate = entry.methods.get(endpoint.method);
    if (duplicate)
      throw new Error(
        `${endpoint.document.file}: ${endpoint.method} ${endpoint.path} is also in ${duplicate.document.file}.`,
      );
    entry.methods.set(endpoint.method, endpoint);
    entry.allow = [...entry.methods.keys()]
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .sort()
      .join(', ');
    entries.set(key, entry);
  }
  const all = [...entries.values()];
  return {
    literal: new Map(all.filter(({ path }) => !path.includes(':')).map((entry) => [entry.path, entry])),
    patterns: all.filter(({ path }) => path.includes(':')).sort(byLiteralFirst),
  };
}

function choose(entry: PathEntry, method: string, values: readonly string[]): Route {
  const endpoint = entry.methods.get(method === 'HEAD' ? 'GET' : method);
  if (!endpoint) return { kind: 'wrongMethod', path: entry.path, allow: entry.allow };
  return {
    kind: 'found',
    endpoint,
    params: Object.fromEntries(endpoint.pathParams.map((name, index) => [name, values[index] ?? ''])),
  };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

/** Undefined if a segment is not valid percent-encoding, so that the path does not exist. */
function decode(pattern: readonly string[], segments: readonly string[]): string[] | undefined {
  try {
    return segments.filter((_, index) => pattern[index]?.startsWith(':')).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/**
 * Sorts `/webhooks/deliveries/:id/redeliver` before `/webhooks/:id/deliveries/list`: the path with the first literal
 * from the left is matched first.
 */
function byLiteralFirst(left: PathEntry, right: PathEntry): number {
  const key = ({ segments }: PathEntry): string =>
    segments.map((segment) => (segment.startsWith(':') ? '1' : '0')).join('');
  return key(left) < key(right) ? -1 : key(left) > key(right) ? 1 : 0;
}
