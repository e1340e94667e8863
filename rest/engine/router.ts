import type { Endpoint } from './endpoint.ts';

export type Route =
  | { kind: 'found'; endpoint: Endpoint; params: Record<string, string> }
  | { kind: 'wrongMethod'; path: string; allow: string }
  | { kind: 'unknown' };

/** All methods of one path. */
interface Place {
  path: string;
  segments: readonly string[];
  methods: Map<string, Endpoint>;
  allow: string;
}

/**
 * Finds the endpoint of a path. The path is chosen first and the method after it, so that `GET /payments/process` is a wrong method
 * and not the payment `process`. A path with a slash at its end is another path, which does not exist.
 */
export function createRouter(endpoints: readonly Endpoint[]): (method: string, path: string) => Route {
  const { literal, patterns } = placesOf(endpoints);
  return (method, path) => {
    const place = literal.get(path);
    if (place) return choose(place, method, []);
    const segments = path.split('/');
    for (const pattern of patterns) {
      if (!matches(pattern.segments, segments)) continue;
      const values = decode(pattern.segments, segments);
      return values ? choose(pattern, method, values) : { kind: 'unknown' };
    }
    return { kind: 'unknown' };
  };
}

function placesOf(endpoints: readonly Endpoint[]): { literal: Map<string, Place>; patterns: Place[] } {
  const places = new Map<string, Place>();
  for (const endpoint of endpoints) {
    const key = endpoint.path.replace(/:\w+/g, ':');
    const place = places.get(key) ?? {
      path: endpoint.path,
      segments: endpoint.path.split('/'),
      methods: new Map(),
      allow: '',
    };
    const twin = place.methods.get(endpoint.method);
    if (twin)
      throw new Error(
        `${endpoint.document.file}: ${endpoint.method} ${endpoint.path} is already ${twin.document.file}.`,
      );
    place.methods.set(endpoint.method, endpoint);
    place.allow = [...place.methods.keys()]
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .sort()
      .join(', ');
    places.set(key, place);
  }
  const all = [...places.values()];
  return {
    literal: new Map(all.filter(({ path }) => !path.includes(':')).map((place) => [place.path, place])),
    patterns: all.filter(({ path }) => path.includes(':')).sort(byLiteralFirst),
  };
}

function choose(place: Place, method: string, values: readonly string[]): Route {
  const endpoint = place.methods.get(method === 'HEAD' ? 'GET' : method);
  if (!endpoint) return { kind: 'wrongMethod', path: place.path, allow: place.allow };
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

/** Undefined when a percent sign does not begin a character: nothing of ours has such a name. */
function decode(pattern: readonly string[], segments: readonly string[]): string[] | undefined {
  try {
    return segments.filter((_, index) => pattern[index]?.startsWith(':')).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** `/webhooks/deliveries/:id/redeliver` before `/webhooks/:id/deliveries/list`: the first literal from the left decides. */
function byLiteralFirst(left: Place, right: Place): number {
  const key = ({ segments }: Place): string =>
    segments.map((segment) => (segment.startsWith(':') ? '1' : '0')).join('');
  return key(left) < key(right) ? -1 : key(left) > key(right) ? 1 : 0;
}
