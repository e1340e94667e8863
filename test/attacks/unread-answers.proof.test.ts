import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { limitConnections, oneAtATime } from '../../src/limits/connections.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { httpHead } from '../support/raw-connection.ts';

const mebibyte = 1024 * 1024;
/** More than the buffers of the network take. */
const answer = Buffer.alloc(32 * mebibyte, 'a');
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(handle: RequestListener, unsentBytes = 64 * mebibyte): Promise<Server> {
  const server = createServer();
  const total = 100;
  limitConnections(
    server,
    { total, perAddress: total, isProxy: () => false, answerMs: 60_000, unsentBytes, checkEveryMs: 10 },
    () => {},
  );
  server.on('request', oneAtATime(handle));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** A client that sends and reads nothing until a call of it. */
async function client(server: Server, localAddress: string, text: string): Promise<Socket> {
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(text);
  return socket;
}

describe('answers that clients do not read', () => {
  test('pipelined requests begin one after the other, each when the answer before it has left, and in order', async () => {
    const begun: string[] = [];
    const server = await serve(({ url = '' }, response) => {
      begun.push(url);
      response.end(url === '/honest' ? '' : answer);
    });
    const requests = ['/1', '/2', '/3'].map((path) => httpHead('GET', path)).join('');
    const reader = await client(server, '127.0.0.1', requests);
    const honest = await client(server, '127.0.0.2', httpHead('GET', '/honest'));
    honest.resume();
    await once(honest, 'data');
    expect(begun).toEqual(['/1', '/honest']);
    let read = 0;
    await new Promise<void>((resolve) => {
      reader.on('data', ({ length }) => {
        read += length;
        if (read > 3 * answer.length) resolve();
      });
      reader.resume();
    });
    expect(begun).toEqual(['/1', '/honest', '/2', '/3']);
  });

  test('above the bound of all unread bytes the connections of the address with most of them are closed', async () => {
    const server = await serve((_request, response) => void response.end(answer), 80 * mebibyte);
    const honest = await client(server, '127.0.0.2', httpHead('GET', '/'));
    const unread = await Promise.all([1, 2, 3, 4].map(() => client(server, '127.0.0.1', httpHead('GET', '/'))));
    await Promise.race(unread.map((socket) => once(socket.resume(), 'close')));
    let read = 0;
    await new Promise<void>((resolve) => {
      honest.on('data', ({ length }) => {
        read += length;
        if (read > answer.length) resolve();
      });
      honest.resume();
    });
  });
});

describe('what is prepared for everybody', () => {
  const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ clock });
  });
  afterAll(() => platform?.close());

  const ask = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  test('the prepared answer of introspection is what the GraphQL server answers', async () => {
    const query = getIntrospectionQuery();
    const [other, prepared, again] = [
      await ask({ query: query.replace('{', '{ __typename') }),
      await ask({ query }),
      await ask({ query }),
    ];
    const { __typename, ...data } = (await other.json()).data;
    expect(await prepared.json()).toEqual({ data });
    expect(await again.json()).toEqual({ data });
    expect([__typename, prepared.headers.get('content-type')]).toEqual(['Query', other.headers.get('content-type')]);
    const plain = await ask({ query }, { 'Accept-Encoding': 'identity' });
    expect([plain.headers.get('content-encoding'), await plain.json()]).toEqual([null, { data }]);
    expect(prepared.headers.get('content-encoding')).toBe(other.headers.get('content-encoding'));
    const graph = await ask({ query }, { Accept: 'application/graphql-response+json' });
    expect(graph.headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8');
  });

  test.each([
    [{ query: '{ __schema { nothing } }' }, 'Cannot query field'],
    [{ query: '{ __schema { queryType { name } }' }, 'Syntax Error'],
    [
      { query: 'query A { __schema { queryType { name } } }', operationName: 'B' },
      'Could not determine what operation',
    ],
    [{ query: '{ __schema { queryType { name } } me { email } }' }, 'A credential is required'],
    [{ query: 'query ($a: Boolean!) { __schema @include(if: $a) { queryType { name } } }' }, 'a is required'],
  ])('what is not such an operation is refused as ever: %o', async (body, message) => {
    const { data, errors } = await (await ask(body)).json();
    expect([data, errors[0].message]).toEqual([undefined, expect.stringContaining(message)]);
  });

  test('429 for the 301st request of an address in a minute without a credential; those with one are not counted', async () => {
    const query = '{ __typename }';
    clock.advance(60_000);
    const answers = await Promise.all(Array.from({ length: 301 }, () => ask({ query })));
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, refused[0]?.headers.get('retry-after')]).toEqual([1, '60']);
    expect((await ask({ query }, { Authorization: 'Bearer unknown' })).status).toBe(401);
    clock.advance(60_000);
    expect((await ask({ query })).status).toBe(200);
  });
});
