import { editDistance } from '../../src/lib/edit-distance.ts';
import type { Endpoint } from './endpoint.ts';

export type Route =
  | { kind: 'found'; endpoint: Endpoint; params: Record<string, string> }
  | { kind: 'wrongMethod'; path: string; allow: string; hint: string }
  | { kind: 'unknown'; hint: string };

/** All endpoints of one path. */
interface PathEntry {
  path: string;
  segments: readonly string[];
  methods: Map<string, Endpoint>;
  allow: string;
}

/**
 * Finds the endpoint of a path. The path is matched before the method, so that `GET /payments/process` is a wrong
 * method and not the payment `process`. A path with a trailing slash does not exist; the error gives a hint.
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
      if (!values) return { kind: 'unknown', hint: '' };
      const chosen = choose(pattern, method, values);
      if (chosen.kind !== 'wrongMethod') return chosen;
      // `POST /payments/create` has the path of a payment.
      const ofMethod = [...literal.values()].filter(({ methods }) => methods.has(method));
      return { ...chosen, hint: hintFor(ofMethod, segments) };
    }
    return { kind: 'unknown', hint: hintFor([...literal.values(), ...patterns], segments) };
  };
}

const hintMax = 4;

/**
 * The path that the caller of an unknown path may have meant: without a superfluous slash, or similar paths, those that
 * share the most segments first.
 */
function hintFor(entries: readonly PathEntry[], segments: readonly string[]): string {
  if (segments.at(-1) === '' && entries.some((entry) => matches(entry.segments, segments.slice(0, -1))))
    return ' There is one without the slash at its end.';
  const parts = segments.filter((part) => part !== '').slice(0, partsMax);
  if (parts.length < segments.length - 1 && entries.some((entry) => matches(entry.segments, ['', ...parts])))
    return ' There is one without the doubled slash.';
  const near = entries
    .map((entry) => ({ ...entry, shared: parts.filter((part) => isNear(part, entry.segments)).length }))
    .filter((entry) => isNear(parts[0] ?? '/', entry.segments))
    .sort((left, right) => right.shared - left.shared || left.segments.length - right.segments.length);
  const shown = near.slice(0, hintMax).map(({ methods, path }) => `${[...methods.keys()].join(', ')} ${path}`);
  return shown.length === 0 ? '' : ` There is ${shown.join('; ')}${near.length > hintMax ? ' and more' : ''}.`;
}

/** The maximum number of segments of a path of the API. */
const partsMax = 8;

function isNear(part: string, segments: readonly string[]): boolean {
  return segments.some(
    (each) =>
      each === part || (Math.abs(each.length - part.length) <= 1 && each.length > 2 && editDistance(each, part) === 1),
  );
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
        `${endpoint.document.source}: ${endpoint.method} ${endpoint.path} is also in ${duplicate.document.source}.`,
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
  if (!endpoint) return { kind: 'wrongMethod', path: entry.path, allow: entry.allow, hint: '' };
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
 * Sorts `/webhooks/deliveries/:id/redeliver` before `/webhooks/:id/deliveries/list`: the path whose first differing
 * segment from the left is literal is matched first.
 */
function byLiteralFirst(left: PathEntry, right: PathEntry): number {
  const key = ({ segments }: PathEntry): string =>
    segments.map((segment) => (segment.startsWith(':') ? '1' : '0')).join('');
  return key(left) < key(right) ? -1 : key(left) > key(right) ? 1 : 0;
}
