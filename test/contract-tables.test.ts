import { describe, expect, test } from 'vitest';
import type { Domain } from '../src/domain.ts';
import { domains } from '../src/registry.ts';
import { anonymousRoutes } from './support/anonymous-routes.ts';
import { textOf } from './support/documents.ts';
import { endpoints } from './support/operations.ts';

/** The rows of the table of a page with this head, each as its cells. */
function tableOf(page: string, head: string): string[][] {
  const [, rows = ''] = textOf(`docs/contract/${page}.md`).split(`\n${head}\n`);
  return (rows.split('\n\n')[0] ?? '')
    .split('\n')
    .slice(1) // the line of dashes
    .map((row) =>
      row
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
}

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

describe('contract 1', () => {
  test('the table of paths, and the redirects below it, have the first part of every path of the server', () => {
    const redirects = textOf('docs/contract/01-surfaces.md').match(/^- `\/docs`, .*?\n- /ms)?.[0] ?? '';
    const cells = [...tableOf('01-surfaces', '| Path | Surface | Callers |').map(([cell]) => cell), redirects];
    const first = (path: string): string => path.split('/')[1] ?? '';
    const listed = new Set(cells.flatMap(quoted).map(first));
    expect(listed.size).toBeGreaterThan(15);
    expect(Object.keys(anonymousRoutes).filter((path) => !listed.has(first(path)))).toEqual([]);
  });
});

describe('contract 2', () => {
  test('the table has every prefix of an identifier and no other, each once', () => {
    const rows = tableOf('02-tenancy-modes-ids', '| Prefix | Object | Prefix | Object |');
    const listed = rows.flatMap(([left, , right]) => [...quoted(left), ...quoted(right)]);
    const all: readonly Domain[] = domains;
    const made = all.flatMap(({ idPrefixes = {} }) => Object.values(idPrefixes));
    expect(listed.sort()).toEqual(made.sort());
  });
});

describe('contract 8', () => {
  interface Schema {
    $ref?: string;
    type?: string | string[];
    anyOf?: Schema[];
    enum?: string[];
    properties?: Record<string, Schema>;
  }
  interface Path {
    post?: { requestBody?: { content: { 'application/json': { schema: Schema } } } };
  }
  const openapi: { paths: Record<string, Path>; components: { schemas: Record<string, Schema> } } = JSON.parse(
    textOf('rest/openapi.json'),
  );
  const { schemas } = openapi.components;
  /** A schema without null and without references. */
  function bare(given: Schema | undefined): Schema {
    if (given?.anyOf) return bare(given.anyOf.find(({ type }) => type !== 'null'));
    return given?.$ref === undefined ? (given ?? {}) : bare(schemas[given.$ref.split('/').at(-1) ?? '']);
  }

  const lists = Object.entries(openapi.paths).flatMap(([path, { post }]) => {
    const { properties = {} } = bare(post?.requestBody?.content['application/json'].schema);
    if (!properties['filters'] && !properties['sortBy']) return [];
    const sorts = bare(bare(properties['sortBy']).properties?.['field']).enum ?? [];
    const filters = Object.keys(bare(properties['filters']).properties ?? {});
    return [{ path, sorts, filters, hasCursor: 'cursor' in properties }];
  });
  /** The paths whose row has another name than the path. */
  const names: Readonly<Record<string, string>> = {
    '/accounts/{platformAccountId}/api-keys/list': 'API keys',
    '/plugins/v2/deployments/list': 'plugin deployments',
    '/plugins/v2/instances/list': 'plugin instances',
    '/webhooks/{webhookId}/deliveries/list': 'webhook deliveries',
    '/webhooks/list': 'webhook endpoints',
  };
  const nameOf = (path: string): string =>
    names[path] ??
    path
      .slice(1)
      .replace(/\/list$/, '')
      .replaceAll('-', ' ');

  test('the table has every list of the API with exactly its sort fields and filters', () => {
    const rows = tableOf('08-lists', '| List | Sort fields | Filters |').map(([name = '', sorts, filters]) => [
      name,
      quoted(sorts).sort(),
      quoted(filters)
        .map((filter) => filter.replace(/ \{.*/, ''))
        .sort(),
    ]);
    const expected = lists.map(({ path, sorts, filters }) => [nameOf(path), [...sorts].sort(), filters.sort()]);
    expect(expected.length).toBeGreaterThan(10);
    expect(Object.fromEntries(rows.map(([name, ...fields]) => [name, fields]))).toEqual(
      Object.fromEntries(expected.map(([name, ...fields]) => [name, fields])),
    );
  });

  test('payments, customers, orders and events take cursor, and no other list does', () => {
    const withCursor = lists.filter(({ hasCursor }) => hasCursor).map(({ path }) => nameOf(path));
    expect(withCursor.sort()).toEqual(['customers', 'events', 'orders', 'payments']);
  });
});

describe('contract 9', () => {
  const roots = new Set(endpoints.map(({ path }) => path.split('/')[1]));
  const shape = (path: string): string => path.replaceAll(/:\w+/g, ':');

  /** The endpoints of a cell, as `POST /orders/:`. A part without a method has that of the part before it. */
  function listedIn(cell: string): string[] {
    let methods: string[] = [];
    let [base, before] = ['', ''];
    return cell.split(' · ').flatMap((part) => {
      const [, named, path = ''] = /^((?:[A-Z]+(?:, )?)+ )?(\S+)$/.exec(part) ?? [];
      if (named !== undefined) methods = named.trim().split(', ');
      const [, root = ''] = path.split('/');
      const whole = path.startsWith('…')
        ? before.replace(/\/[^/]+$/, path.slice(1)) // beside the path before it
        : roots.has(root)
          ? path
          : base + path;
      if (base === '') base = `/${root}`;
      before = whole;
      return methods.map((method) => `${method} ${shape(whole)}`);
    });
  }

  const rows = tableOf('09-public-endpoints', '| Method and path | Keys | Notes |').map(
    ([cell = '', keys = '', notes = '']) => ({ cell, keys, notes }),
  );
  const ofPlugins = rows.filter(({ cell }) => cell === '/plugins/v2/…');
  const listed = rows.flatMap(({ cell, keys, notes }) =>
    cell === '/plugins/v2/…'
      ? []
      : listedIn(cell).map((endpoint) => ({ endpoint, keys, isOfTests: notes.startsWith('test keys only') })),
  );
  const keysOf = (scopes: object): string =>
    Object.keys(scopes).some((scope) => /partnerKey/i.test(scope)) ? 'P' : 'P S';
  const actual = endpoints.map(({ method, path, scopes }) => ({
    endpoint: `${method} ${shape(path)}`,
    keys: keysOf(scopes),
    isOfTests: Object.keys(scopes).some((scope) => /testKey/i.test(scope)),
  }));

  test('the table has every endpoint and no other, each once, with the keys that it takes', () => {
    // The callback is a page for a browser, which comes without a key.
    const callback = 'GET /processors/cardprocessor-connect/callback';
    const inOrder = (all: typeof actual) => all.sort((left, right) => (left.endpoint < right.endpoint ? -1 : 1));
    expect(inOrder(listed.filter(({ endpoint }) => endpoint !== callback))).toEqual(
      inOrder(actual.filter(({ endpoint }) => !/ \/plugins\//.test(endpoint))),
    );
    expect(listed.map(({ endpoint }) => endpoint)).toContain(callback);
  });

  test('the endpoints of plugins are below one path, and take both kinds of key', () => {
    const below = actual.filter(({ endpoint }) => / \/plugins\//.test(endpoint));
    expect(below.every(({ endpoint }) => / \/plugins\/v2\//.test(endpoint))).toBe(true);
    expect(ofPlugins.map(({ keys }) => [keys])).toEqual([[...new Set(below.map(({ keys }) => keys))]]);
  });
});
