import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Platform } from '@partner-payments/sdk';
import { Purchase, type State } from './purchase.ts';

export interface ShopOptions {
  /** The address of the platform. */
  platformUrl: string;
  /** The sub-key of the merchant. It never leaves this server. */
  key: string;
  /** The origin of the shop. */
  origin: string;
}

/** A shop that takes cards on its own page: the server of a merchant, without a framework. */
export function createShop(options: ShopOptions): Server {
  const shop = Platform.test(options.key, { baseUrl: options.platformUrl });
  /** By the id in the visitor's cookie. A real shop has a database. */
  const purchases = new Map<string, Purchase>();
  return createServer((request, response) => {
    answer(options, shop, purchases, request, response).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      response.writeHead(502, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ message: 'The shop could not do that. Try again.' }));
    });
  });
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const files: Record<string, { type: string; text: string }> = {
  '/': { type: 'text/html', text: read('page.html') },
  '/page.js': { type: 'text/javascript', text: read('page.js') },
  '/page.css': { type: 'text/css', text: read('page.css') },
};

const routes: Record<string, (purchase: Purchase, request: IncomingMessage) => Promise<State>> = {
  'GET /state': (purchase) => purchase.state(),
  'POST /pay': async (purchase, request) => purchase.pay(await tokenIn(request)),
  'POST /continue': (purchase) => purchase.continue(),
};

async function answer(
  { platformUrl, origin }: ShopOptions,
  shop: Platform,
  purchases: Map<string, Purchase>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? '/';
  const id = /(?:^|; )purchase=([0-9a-f-]{36})/.exec(request.headers.cookie ?? '')?.[1];
  const known = purchases.get(id ?? '');
  const file = files[path];
  if (file) {
    const headers: Record<string, string> = {
      'Content-Type': `${file.type}; charset=utf-8`,
      'Content-Security-Policy':
        `default-src 'none'; img-src data:; connect-src 'self'; style-src 'self'; script-src 'self' ${platformUrl}; ` +
        `frame-src ${platformUrl}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    };
    if (path === '/' && !known) {
      const created = randomUUID();
      purchases.set(created, new Purchase(created, shop, origin));
      headers['Set-Cookie'] = `purchase=${created}; HttpOnly; SameSite=Lax; Path=/`;
    }
    response.writeHead(200, headers).end(file.text);
    return;
  }
  const route = routes[`${request.method} ${path}`];
  if (!route || !known) {
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message": "There is nothing here."}');
    return;
  }
  const state = await route(known, request);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(state));
}

async function tokenIn(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const { token } = JSON.parse(text) as { token?: unknown };
  return String(token);
}
