import { Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { hashSecret } from '../../../src/auth/secret.ts';
import { queryRow, sql } from '../../../src/database/sql.ts';
import { scalarsPath } from '../../../src/graph/scalars/define-scalar.ts';
import type { Services } from '../../../src/services.ts';
import type { Config } from '../../../src/settings/config.ts';
import { type Demo, loadDemo } from '../../../src/settings/demo-credentials.ts';
import { acceptsPage } from '../../engine/reader.ts';
import { surfaces } from '../../engine/surfaces.ts';
import { createAsset, mark, sendAsset, siteFileRoutes } from '../frame/assets.ts';
import { sendSitePage } from '../frame/page.ts';
import { visitorOf } from '../frame/visitor.ts';
import { homePage, homeTitle, scalarsPage } from './home-page.ts';

/**
 * The demo's credentials if they belong to this database: the file may outlive a deleted or replaced database. Never on
 * a server that other machines can reach.
 */
export async function presentDemo({ config, pool }: Pick<Services, 'config' | 'pool'>): Promise<Demo | undefined> {
  const demo = config.isLocal ? await loadDemo(config) : undefined;
  if (!demo) return undefined;
  const secretHash = hashSecret(demo.accounts.test.subKey);
  const key = await queryRow(
    pool,
    sql`SELECT 1 FROM api_keys WHERE "secretHash" = ${secretHash} AND status = 'active'`,
  );
  return key === undefined ? undefined : demo;
}

/**
 * `GET /`: the addresses of the server, as a page for browsers and as JSON for other clients; the scalars of the graph;
 * and redirects from addresses that users guess.
 */
export function homeRoutes(services: Services, schema: GraphQLSchema): Router {
  const { config } = services;
  const router = Router({ caseSensitive: true, strict: true });
  const addresses = addressesOf(config);
  router.get('/', async (request, response) => {
    if (!acceptsPage(request))
      return void response
        .set({ 'Cache-Control': 'no-cache', Vary: 'Accept' })
        .json(Object.fromEntries(addresses.map(({ key, path }) => [key, `${config.publicUrl}${path}`])));
    const [visitor, demo] = await Promise.all([visitorOf(services, request), presentDemo(services)]);
    sendSitePage(request, response, {
      title: homeTitle(config),
      content: homePage({ config, addresses: [...addresses, ...addressesFor(visitor)], visitor, demo }),
      isWide: true,
      isEnglishOnly: true,
      hasScript: true,
    });
  });
  router.use(siteFileRoutes());
  const icon = createAsset('mark.svg', mark, 'image/svg+xml; charset=utf-8');
  router.get('/favicon.ico', (request, response) => {
    response.set('Content-Security-Policy', "default-src 'none'");
    return sendAsset(request, response, icon, 'public, max-age=86400');
  });
  let scalars: string | undefined;
  router.get(`/${scalarsPath}`, (request, response) => {
    const title = 'Scalars of the graph';
    sendSitePage(request, response, {
      title,
      content: (scalars ??= scalarsPage(schema)),
      isWide: true,
      isEnglishOnly: true,
    });
  });
  for (const [guessed, path] of guessedOf(config))
    router.get(guessed, (_request, response) => response.set('Cache-Control', 'no-cache').redirect(302, path));
  return router;
}

export interface Address {
  key: string;
  name: string;
  path: string;
  about: string;
}

/** The enabled features, by their path. */
function addressesOf({ docs, graphiql, mail, isLocal }: Config): Address[] {
  const { root } = surfaces.public;
  return [
    ...(docs
      ? [{ key: 'guides', name: 'Documentation', path: '/docs/', about: 'guides, self-hosting, security, contract' }]
      : []),
    {
      key: 'documentation',
      name: 'API reference',
      path: `${root}/docs`,
      about: 'every endpoint, with examples that can be sent',
    },
    {
      key: 'graphql',
      name: graphiql ? 'GraphiQL' : 'GraphQL endpoint',
      path: '/graphql',
      about: graphiql ? 'run GraphQL in the browser, as yourself or with an API key' : 'for API keys, by POST',
    },
    { key: 'openapi', name: 'OpenAPI description', path: `${root}/openapi.json`, about: 'to generate clients from' },
    { key: 'signIn', name: 'Sign in', path: '/idp/sign-in', about: 'for operators and partner staff' },
    {
      key: 'console',
      name: 'Console',
      path: '/console/',
      about: 'payments, merchants and users, for operators and partner staff',
    },
    ...(mail.kind === 'kept' && isLocal
      ? [{ key: 'mail', name: 'Mail', path: '/idp/mail', about: 'stored here and not sent, as SMTP_URL is not set' }]
      : []),
    { key: 'health', name: 'Health', path: '/health/ready', about: 'whether the platform is ready for requests' },
  ];
}

/** The addresses that only a signed-in user can open. */
function addressesFor(visitor: Awaited<ReturnType<typeof visitorOf>>): Address[] {
  if (visitor === 'mustEnroll' || visitor.kind === 'anonymous') return [];
  return [
    {
      key: 'peopleDocumentation',
      name: 'API reference for people',
      path: `${surfaces.iam.root}/docs`,
      about: 'partners, staff, organizations, roles and users; for signed-in users',
    },
  ];
}

/** Relative, so that they work under any host name and prefix. */
function guessedOf({ docs: isDocsOn, graphiql }: Config): [guessed: string, path: string][] {
  const docs = surfaces.public.root.slice(1);
  return [
    ...(isDocsOn ? [] : [['/docs', `${docs}/docs`] satisfies [string, string]]),
    ['/api', `${docs}/docs`],
    ['/health', 'health/ready'],
    ['/idp', 'idp/sign-in'],
    ...(graphiql ? [['/graphiql', 'graphql'] satisfies [string, string]] : []),
  ];
}
