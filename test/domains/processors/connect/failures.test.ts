import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.ts';
import { withShortTimeout } from '../../../support/processor-line.ts';
import { type SeededAccount, seedPartner } from '../../../support/seed.ts';
import { come, initiatePath, stripeProcessor } from './walk.ts';

let tokenEndpoint: Server;
let answer: RequestListener = () => {};
let platform: TestPlatform;
let account: SeededAccount;
let processorId: string;

beforeAll(async () => {
  tokenEndpoint = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => tokenEndpoint.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(tokenEndpoint.address() as AddressInfo).port}`; // it listens on TCP
  platform = await startTestPlatform({
    env: {
      STRIPE_CONNECT_CLIENT_ID: 'ca_platform',
      STRIPE_CONNECT_CLIENT_SECRET: 'secret',
      STRIPE_CONNECT_AUTHORIZATION_URL: `${at}/authorize`,
      STRIPE_CONNECT_TOKEN_URL: `${at}/token`,
    },
  });
  account = await (await seedPartner(platform)).account();
  processorId = await stripeProcessor(account.api);
});
afterAll(async () => {
  await platform?.close();
  tokenEndpoint.closeAllConnections();
  tokenEndpoint.close();
});

/** Calls the callback as an authorization server that approves would. */
async function callback(): Promise<string> {
  const { url } = await account.api.ok(initiatePath, { processorId, returnUrl: 'https://shop.example.com/back' });
  const { state = '', redirect_uri = '' } = Object.fromEntries(new URL(url).searchParams);
  return `${redirect_uri}?${new URLSearchParams({ code: 'code_that_stays_secret', state })}`;
}

const json =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);

test.each<[string, RequestListener, string]>([
  ['hangs', () => {}, 'token_endpoint_unavailable'],
  [
    'sends its answer too slowly',
    (_request, response) =>
      void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"access_token":'),
    'token_endpoint_unavailable',
  ],
  ['hangs up', (request) => void request.socket.destroy(), 'token_endpoint_unavailable'],
  ['fails', json(503, '{"error":"later"}'), 'token_endpoint_unavailable'],
  ['refuses the code', json(400, '{"error":"invalid_grant"}'), 'code_refused'],
  ['refuses us', json(401, 'who are you?'), 'code_refused'],
  [
    'sends us elsewhere',
    (_request, response) => void response.writeHead(302, { Location: 'https://evil.example/token' }).end(),
    'token_answer_invalid',
  ],
  ['answers with garbage', json(200, 'tokens? none'), 'token_answer_invalid'],
  [
    'answers with a page',
    (_request, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>hello</h1>'),
    'token_answer_invalid',
  ],
  ['answers without a token', json(200, '{"token_type":"bearer"}'), 'token_answer_invalid'],
  ['answers with an empty one', json(200, '{"access_token":"","token_type":"bearer"}'), 'token_answer_invalid'],
  [
    'answers with a token of another kind',
    json(200, '{"access_token":"x","token_type":"mac"}'),
    'token_answer_invalid',
  ],
  [
    'answers without an end',
    (_request, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(`{"access_token":"${'x'.repeat(200_000)}","token_type":"bearer"}`),
    'token_answer_invalid',
  ],
])('status=error when the token endpoint %s: state used, code not logged', async (name, listener, reason) => {
  answer = listener;
  const url = await callback();
  const isUnanswered = ['hangs', 'sends its answer too slowly'].includes(name);
  const back = await (isUnanswered ? withShortTimeout(platform, () => come(url)) : come(url));
  expect(back).toEqual({ status: 'error', processorId, reason });
  expect(await come(url)).toMatchObject({ reason: 'state_used' });
  expect(await platform.services.prisma.processor.findUnique({ where: { id: processorId } })).toMatchObject({
    connected: false,
    secrets: {},
  });
  expect(platform.logged.join('\n')).not.toContain('code_that_stays_secret');
  expect(platform.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
