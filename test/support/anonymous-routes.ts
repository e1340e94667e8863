import express from 'express';
import { getIntrospectionQuery } from 'graphql';

/** A request without a credential. */
export interface Requested {
  method?: 'GET' | 'POST' | 'OPTIONS';
  path: string;
  /** Sent as JSON. */
  body?: object;
}

const page = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const id = '0000000000000000000000';
const restRoot = '/api/public/v1';
const connect = `${restRoot}/processors/cardprocessor-connect`;
const people = '/api/v1/iam';

const post = (path: string, body: object = {}): Requested => ({ method: 'POST', path, body });

/**
 * What anybody may ask of each route of the server, by the path that the router has for it. A route without an entry
 * fails `test/attacks/anonymous.proof.test.ts`. The hash of a file's name is `*`, and is filled in from the router.
 */
export const anonymousRoutes: Readonly<Record<string, readonly Requested[]>> = {
  '/': [{ path: '/' }],
  '/health/live': [{ path: '/health/live' }],
  '/health/ready': [{ path: '/health/ready' }],
  '/metrics': [{ path: '/metrics' }],
  '/test/3ds/:sessionId': [{ path: `/test/3ds/tds_${id}` }, post(`/test/3ds/tds_${id}`)],
  '/test/receivers/:kind': [post('/test/receivers/accepts'), post('/test/receivers/gone')],
  '/3ds/return/:transactionId': [{ path: `/3ds/return/txn_${id}` }],
  '/checkout/sessions/:token': [{ path: `/checkout/sessions/${id}` }],
  '/checkout/sessions/:token/next': [post(`/checkout/sessions/${id}/next`)],
  '/checkout/sessions/:token/pay': [post(`/checkout/sessions/${id}/pay`)],
  '/checkout/sessions/:token/accept': [post(`/checkout/sessions/${id}/accept`)],
  '/checkout/sessions/:token/decline': [post(`/checkout/sessions/${id}/decline`)],
  '/checkout/sessions/:token/continue': [post(`/checkout/sessions/${id}/continue`)],
  '/checkout/sessions/:token/{*rest}': [{ method: 'OPTIONS', path: `/checkout/sessions/${id}/pay` }],
  '/checkout/sessions/:token/challenge': [{ path: `/checkout/sessions/${id}/challenge` }],
  '/checkout/sessions/:token/page': [{ path: `/checkout/sessions/${id}/page` }],
  '/checkout/funnels/:funnelId': [{ path: `/checkout/funnels/funnel_${id}` }],
  '/checkout/return/:sessionId': [{ path: `/checkout/return/fs_${id}` }],
  '/cardholder/:link': [{ path: `/cardholder/sub_${id}.1.none` }],
  '/cardholder/:link/challenge': [{ path: `/cardholder/sub_${id}.1.none/challenge` }],
  '/cardholder/:link/confirm': [post(`/cardholder/sub_${id}.1.none/confirm`)],
  '/cardholder/:link/pay': [post(`/cardholder/sub_${id}.1.none/pay`)],
  '/cardholder/return/:subscriptionId': [{ path: `/cardholder/return/sub_${id}` }],
  '/fields/v1.js': [{ path: '/fields/v1.js' }],
  '/fields/v1.*.js': [{ path: '/fields/v1.*.js' }],
  '/fields/frame/:sessionId': [{ path: `/fields/frame/cs_${id}` }],
  '/fields/challenge/:sessionId': [{ path: `/fields/challenge/cs_${id}` }],
  '/fields/return/:sessionId': [{ path: `/fields/return/cs_${id}` }],
  '/fields/session': [post('/fields/session')],
  '/fields/submit': [post('/fields/submit')],
  '/brand/:file': [{ path: '/brand/0000000000000000.png' }],
  '/docs': [{ path: '/docs' }],
  '/docs/': [{ path: '/docs/' }],
  '/docs/*path': [
    'guides/payments',
    'guides/payments.md',
    'guides/payments/',
    'changelog',
    'configuration',
    'images/nothing.webp',
    'nowhere',
    'sdk',
  ].map((path) => ({ path: `/docs/${path}` })),
  '/llms.txt': [{ path: '/llms.txt' }],
  '/hooks/identity-provider': [post('/hooks/identity-provider')],
  '/hooks/processors/:type': [post('/hooks/processors/stripe')],
  '/join': [{ path: '/join' }, post('/join')],
  '/exports/:export': [{ path: '/exports/payments.csv' }],
  '/idp/mail': [{ path: '/idp/mail' }],
  '/idp/sign-in/email': [post('/idp/sign-in/email')],
  '/idp/sign-in/code': [post('/idp/sign-in/code', { code: '123456' })],
  '/idp/sign-out': [post('/idp/sign-out')],
  '/idp/token': [{ path: '/idp/token' }],
  '/idp/jwks': [{ path: '/idp/jwks' }],
  '/idp/accept': [{ path: '/idp/accept?ticket=none' }, post('/idp/accept')],
  '/idp/sign-in': [{ path: '/idp/sign-in' }],
  '/idp/sign-in-code': [{ path: '/idp/sign-in-code' }],
  '/idp/forgot-password': [{ path: '/idp/forgot-password' }, post('/idp/forgot-password')],
  '/idp/reset-password': [{ path: '/idp/reset-password' }, post('/idp/reset-password')],
  '/idp/account': [{ path: '/idp/account' }],
  '/idp/second-factor': [{ path: '/idp/second-factor' }, post('/idp/second-factor', { code: '123456' })],
  '/idp/account/password': [post('/idp/account/password')],
  '/idp/account/second-factor': [post('/idp/account/second-factor')],
  '/idp/account/second-factor/confirm': [post('/idp/account/second-factor/confirm')],
  '/idp/account/second-factor/remove': [post('/idp/account/second-factor/remove')],
  '/idp/account/backup-codes': [post('/idp/account/backup-codes')],
  '/idp/account/sessions/end': [post('/idp/account/sessions/end')],
  '/console': [{ path: '/console' }],
  '/console/': [{ path: '/console/' }],
  '/console/*path': [{ path: '/console/payments' }],
  '/console/assets/:name': [{ path: '/console/assets/index.html' }, { path: '/console/assets/nothing.js' }],
  [`${people}/openapi.json`]: [{ path: `${people}/openapi.json` }],
  [`${people}/docs`]: [{ path: `${people}/docs` }],
  [`${people}/docs/start.js`]: [{ path: `${people}/docs/start.js` }],
  [`${restRoot}/openapi.json`]: [{ path: `${restRoot}/openapi.json` }],
  [`${restRoot}/docs`]: [{ path: `${restRoot}/docs` }],
  [`${restRoot}/docs/start.js`]: [{ path: `${restRoot}/docs/start.js` }],
  [`${restRoot}/docs/scalar.js`]: [{ path: `${restRoot}/docs/scalar.js` }],
  [`${connect}/callback`]: [{ path: `${connect}/callback?state=none` }, post(`${connect}/callback`)],
  '/test/connect/authorize': [{ path: '/test/connect/authorize' }, post('/test/connect/authorize')],
  '/test/connect/token': [post('/test/connect/token')],
  '/assets/platform-*.css': [{ path: '/assets/platform-*.css' }],
  '/assets/page-*.js': [{ path: '/assets/page-*.js' }],
  '/assets/mark-*.svg': [{ path: '/assets/mark-*.svg' }],
  '/assets/docs-*.css': [{ path: '/assets/docs-*.css' }],
  '/assets/docs-*.js': [{ path: '/assets/docs-*.js' }],
  '/assets/inter-latin.woff2': [{ path: '/assets/inter-latin.woff2' }],
  '/assets/inter-latin-ext.woff2': [{ path: '/assets/inter-latin-ext.woff2' }],
  '/favicon.ico': [{ path: '/favicon.ico' }],
  '/graphql/scalars': [{ path: '/graphql/scalars' }],
  '/api': [{ path: '/api' }],
  '/health': [{ path: '/health' }],
  '/idp': [{ path: '/idp' }],
  '/graphiql': [{ path: '/graphiql' }],
  // Mounted as a whole.
  '/graphql': [
    { path: '/graphql' },
    { path: '/graphql/nothing.js' },
    { path: `/graphql?query=${encodeURIComponent('{ __schema { queryType { name } } }')}` },
    post('/graphql', { query: getIntrospectionQuery() }),
    post('/graphql', { query: '{ __typename }' }),
    post('/graphql', { query: '{ nothing }' }),
  ],
};

/** What no route is registered for: the surfaces of REST, the pages of plugins, and what is not there. */
const otherPaths: readonly Requested[] = [
  { path: `${restRoot}/auth/test` },
  post(`${restRoot}/payments/process`),
  { path: `${restRoot}/plugins/v2/deployments` },
  { path: `${people}/users/list` },
  { path: `/p/store_${id}/shop/` },
  { path: '/p/nowhere' },
  { path: '/nowhere' },
  { path: `/${'nowhere/'.repeat(400)}` },
];

export const headers = {
  page: { Accept: page },
  many: {
    Accept: Array.from({ length: 200 }, (_, index) => `text/x${index};q=0.${index}`).join(),
    'Accept-Encoding': Array.from({ length: 400 }, (_, index) => `x${index};q=0.5`).join(),
    'Accept-Language': Array.from({ length: 400 }, (_, index) => `x${index}`).join(),
    Range: 'bytes=0-1',
    'If-Modified-Since': 'Mon, 01 Jan 2024 00:00:00 GMT',
  },
  tags: { 'If-None-Match': Array.from({ length: 600 }, (_, index) => `W/"tag-${index}"`).join(', ') },
} satisfies Record<string, Record<string, string>>;

type AnyFunction = (this: unknown, ...given: unknown[]) => unknown;

/** The paths of the routes that are registered while `start` runs. */
export async function registeredWhile<Started>(
  start: () => Promise<Started>,
): Promise<{ started: Started; paths: string[] }> {
  const prototype = express.Router.prototype as { route: AnyFunction; use: AnyFunction };
  const { route, use } = prototype;
  const paths = new Set<string>();
  const note = (path: unknown): void => {
    for (const each of Array.isArray(path) ? path : [path]) if (typeof each === 'string') paths.add(each);
  };
  prototype.route = function noted(...given) {
    const made = route.apply(this, given) as { path: unknown };
    note(made.path);
    return made;
  };
  prototype.use = function noted(...given) {
    note(given[0]);
    return use.apply(this, given);
  };
  try {
    return { started: await start(), paths: [...paths] };
  } finally {
    Object.assign(prototype, { route, use });
  }
}

/** A path of the router with the hash of a file's name as `*`. */
export function withoutHash(path: string): string {
  return path.replace(/([-.])[0-9a-f]{16}(\.[a-z]+)$/, '$1*$2');
}

/** The requests of the list with the hashes of the files that are served. */
export function requestsOf(paths: readonly string[]): Requested[] {
  const served = new Map(paths.map((path) => [withoutHash(path), path]));
  const known = Object.values(anonymousRoutes).flat();
  return [...known, ...otherPaths].map((requested) => ({
    ...requested,
    path: served.get(requested.path) ?? requested.path,
  }));
}
