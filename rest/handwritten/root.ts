import { Router } from 'express';
import type { Config } from '../../src/runtime/config.ts';
import { surfaces } from '../surfaces.ts';
import { cardPageStyle } from './card-page.ts';

/** `GET /`: where things are, as a page for a browser and as JSON for others. */
export function rootRoutes(config: Pick<Config, 'publicUrl' | 'graphiql' | 'identity'>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const addresses = addressesOf(config);
  const links = addresses.map(({ name, url }) => `<li><a href="${url}">${name}</a></li>`).join('\n');
  router.get('/', (request, response) => {
    response.set({ 'Cache-Control': 'no-cache', Vary: 'Accept', 'X-Content-Type-Options': 'nosniff' });
    if (request.accepts(['json', 'html']) !== 'html')
      return void response.json(Object.fromEntries(addresses.map(({ key, url }) => [key, url])));
    response
      .set(
        'Content-Security-Policy',
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'",
      )
      .type('html')
      .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>Partner Payments Platform</title>
<style>${cardPageStyle}</style>
<main><h1>Partner Payments Platform</h1>
<ul>
${links}
</ul></main>
</html>
`);
  });
  return router;
}

/** The public URL was parsed by the URL parser, which leaves no character that HTML must escape. */
function addressesOf({ publicUrl, graphiql, identity }: Pick<Config, 'publicUrl' | 'graphiql' | 'identity'>) {
  const { root } = surfaces.public;
  return [
    { key: 'documentation', name: 'Documentation and API reference', path: `${root}/docs` },
    { key: 'openapi', name: 'OpenAPI description', path: `${root}/openapi.json` },
    { key: 'graphql', name: graphiql ? 'GraphiQL' : 'GraphQL endpoint', path: '/graphql' },
    ...(identity.kind === 'embedded' ? [{ key: 'signIn', name: 'Sign in', path: '/idp/sign-in' }] : []),
    { key: 'health', name: 'Health', path: '/health/ready' },
  ].map(({ key, name, path }) => ({ key, name, url: `${publicUrl}${path}` }));
}
