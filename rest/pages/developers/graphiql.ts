import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request, Response } from 'express';
import { type GraphQLSchema, graphql } from 'graphql';
import type { Caller, SessionCaller } from '../../../src/auth/caller.ts';
import { isReader } from '../../../src/auth/roles.ts';
import { createContext } from '../../../src/call/context.ts';
import { escapeHtml } from '../../../src/lib/text.ts';
import type { Services } from '../../../src/services.ts';
import { fontCss } from '../../../src/theme/tokens.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import { type Asset, createAsset, fileUrls, forever, once, openStored, sendAsset } from '../frame/assets.ts';
import { roleOf, visitorOf } from '../frame/visitor.ts';
import { type TabPayments, tabsOfKey, tabsOfPerson } from './graphiql-tabs.ts';
import { presentDemo } from './home.ts';

const vendored = join(import.meta.dirname, '..', '..', 'vendor', 'graphiql');
const own = join(import.meta.dirname, '..', 'files');

export interface Graphiql {
  sendPage(request: Request, response: Response): Promise<void>;
  /** Sends a file of the page. False if there is none with this name. */
  sendFile(request: Request, response: Response, name: string): Promise<boolean>;
}

/**
 * GraphiQL: a small page that depends on its visitor, and files that browsers cache. Without `introspection`, the answer
 * of the whole schema, it has no schema.
 */
export function createGraphiql(
  services: Services,
  schema: GraphQLSchema,
  introspection: (() => Promise<Asset>) | undefined,
): Graphiql {
  // They are large, so they are read with the first request and not at every start.
  const opened = once(() => openFiles(introspection));
  return {
    async sendPage(request, response) {
      const [visitor, demo] = await Promise.all([visitorOf(services, request), presentDemo(services)]);
      if (visitor === 'mustEnroll') return response.redirect(303, 'idp/account');
      const { urls } = await opened();
      const isPerson = visitor.kind === 'session';
      const settings = {
        // Data that a browser stores for one user is not shown to another.
        owner: isPerson ? visitor.userId : 'anonymous',
        isPerson,
        demoKey: demo?.accounts.test.subKey ?? null,
        tabs: isPerson
          ? tabsOfPerson(visitor, services.clock.now(), await paymentsFor(services, schema, visitor, request))
          : tabsOfKey(demo),
        bundle: urls.bundle,
        schema: urls.schema,
      };
      response
        .set({
          'Content-Security-Policy': contentPolicy,
          'Cache-Control': 'no-store',
          Vary: 'Accept',
          'Referrer-Policy': 'no-referrer',
          'X-Content-Type-Options': 'nosniff',
        })
        .type('html')
        .send(pageOf(urls, settings, whoIs(visitor)));
    },
    async sendFile(request, response, name) {
      const asset = (await opened()).byName.get(name);
      if (asset) await sendAsset(request, response, asset, forever);
      return asset !== undefined;
    },
  };
}

/** Queried as the user, so that no id is shown that they may not read. */
async function paymentsFor(
  services: Services,
  schema: GraphQLSchema,
  caller: SessionCaller,
  request: Request,
): Promise<TabPayments> {
  if (!isReader(caller)) return {};
  const { requestId } = exchangeOf(request);
  const { data } = await graphql({
    schema,
    source: `{
      newest: payments(mode: test, pageSize: 1) { items { id } }
      refundable: payments(mode: test, pageSize: 1, filters: { status: [succeeded] }) { items { id } }
    }`,
    contextValue: createContext({ services, caller, requestId, ip: request.ip ?? '' }),
  });
  const idOf = (name: string): string | undefined =>
    (data?.[name] as { items: { id: string }[] } | null | undefined)?.items[0]?.id; // the selection above
  return { newest: idOf('newest'), ...(services.config.isLocal && { refundable: idOf('refundable') }) };
}

/** The files, each under a name that contains the hash of its content. */
async function openFiles(introspection: (() => Promise<Asset>) | undefined) {
  const open = async (file: string): Promise<Asset> => createAsset(file, await readFile(join(own, file)));
  const assets = {
    bundle: await openStored(join(vendored, 'graphiql.js.br')),
    vendorStyle: await openStored(join(vendored, 'graphiql.css.br')),
    style: createAsset('graphiql.css', `${fontCss}\n${await readFile(join(own, 'graphiql.css'), 'utf8')}`),
    start: await open('graphiql.js'),
    schema: introspection ? await introspection() : null,
  };
  const urlOf = ({ name }: Asset): string => `graphql/${name}`;
  return {
    byName: new Map(Object.values(assets).flatMap((asset) => (asset ? [[asset.name, asset]] : []))),
    urls: {
      bundle: urlOf(assets.bundle),
      vendorStyle: urlOf(assets.vendorStyle),
      style: urlOf(assets.style),
      start: urlOf(assets.start),
      schema: assets.schema && urlOf(assets.schema),
    },
  };
}

type Urls = Awaited<ReturnType<typeof openFiles>>['urls'];

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function pageOf(urls: Urls, settings: object, who: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="favicon.ico">
<title>GraphiQL · Partner Payments Platform</title>
<link rel="stylesheet" href="${urls.vendorStyle}">
<link rel="stylesheet" href="${urls.style}">
<link rel="modulepreload" href="${urls.bundle}">
${urls.schema === null ? '' : `<link rel="preload" as="fetch" crossorigin href="${urls.schema}">`}
</head>
<body>
<header class="bar">
<a href="./"><img src="${fileUrls.mark}" alt="">Home</a>
<h1>GraphiQL</h1>
${who}
</header>
<p class="notice" role="status" id="notice" hidden></p>
<main id="graphiql" aria-label="GraphiQL"><p class="loading">Loading …</p></main>
<script type="application/json" id="settings">${JSON.stringify(settings).replaceAll('<', '\\u003c')}</script>
<script src="${fileUrls.script}" defer></script>
<script type="module" src="${urls.start}"></script>
</body>
</html>
`;
}

function whoIs(visitor: Exclude<Caller, { kind: 'partnerKey' | 'subKey' }>): string {
  const asks = '<span id="asks" aria-live="polite"></span>';
  if (visitor.kind === 'anonymous')
    return `<p><strong>Not signed in.</strong> ${asks}</p>
<a href="idp/sign-in?redirect=/graphql">Sign in</a>`;
  return `<p>Signed in as <strong>${escapeHtml(visitor.email)}</strong>, ${escapeHtml(roleOf(visitor))}. ${asks}</p>
<form data-post="idp/sign-out" data-then="graphql"><button>Sign out</button><span role="alert"></span></form>`;
}
