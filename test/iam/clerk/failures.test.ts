import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openClerkIdp } from '../../../src/adapters/clerk/clerk-idp.ts';
import type { IdentityProvider, IdpErrorCode } from '../../../src/ports/identity-provider.ts';

type Script = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let script: Script;
let idp: IdentityProvider;
/** For requests that are not answered. */
let impatient: IdentityProvider;
let unreachable: IdentityProvider;

const open = (apiUrl: string, timeoutMs = 30_000) =>
  openClerkIdp(
    {
      apiUrl,
      secretKey: 'sk_test_x',
      jwtKey: null,
      issuer: 'https://clerk.example.com',
      publishableKey: 'pk_test_Y2xlcmsuZXhhbXBsZS5jb20k',
      accountPortalUrl: 'https://accounts.example.com',
      publicUrl: 'https://pay.example.com',
      authorizedParties: ['https://app.example.com'],
      webhookSecret: 'whsec_c2VjcmV0',
    },
    { timeoutMs },
  );

beforeAll(async () => {
  server = createServer((request, response) => script(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`; // it listens on TCP
  idp = open(url);
  impatient = open(url, 300);
  unreachable = open('http://127.0.0.1:1');
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): Script =>
  (_request, response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
const refusing = (status: number, code: string, headers?: Record<string, string>) =>
  answering(
    status,
    JSON.stringify({ errors: [{ code, message: code, long_message: code, meta: {} }], clerk_trace_id: 't' }),
    headers,
  );
const user = {
  id: 'user_1',
  object: 'user',
  primary_email_address_id: null,
  email_addresses: [],
  public_metadata: {},
  banned: false,
  created_at: 1,
  updated_at: 1,
};

/** Every call of the port that sends a request to Clerk. */
const calls: [string, (idp: IdentityProvider) => Promise<unknown>][] = [
  ['getUser', (it) => it.getUser('user_1')],
  ['findUserByEmail', (it) => it.findUserByEmail('a@example.com')],
  ['setAccess', (it) => it.setAccess('user_1', { platformRoles: [], whitelabelOwnership: null })],
  [
    'invite',
    (it) =>
      it.invite({
        email: 'a@example.com',
        access: { platformRoles: [], whitelabelOwnership: null },
        redirectUrl: 'https://pay.example.com',
      }),
  ],
  ['findPendingInvitation', (it) => it.findPendingInvitation('a@example.com')],
  ['revokeInvitation', (it) => it.revokeInvitation('inv_1')],
  ['revokeSessions', (it) => it.revokeSessions('user_1')],
  ['setOrganizationPartner', (it) => it.setOrganizationPartner('org_1', 'acme')],
  ['listUsers', (it) => it.listUsers({ limit: 1, offset: 0 })],
  ['listOrganizations', (it) => it.listOrganizations({ limit: 1, offset: 0 })],
  ['listOrgMembers', (it) => it.listOrgMembers({ limit: 1, offset: 0 })],
];

const silent: Script = () => {};

const shapes: [string, Script, IdpErrorCode][] = [
  ['429 with Retry-After', refusing(429, 'too_many_requests', { 'Retry-After': '7' }), 'RATE_LIMITED'],
  ['500', refusing(500, 'internal_clerk_error'), 'UNAVAILABLE'],
  ['401, our own key being wrong', refusing(401, 'authentication_invalid'), 'UNAVAILABLE'],
  [
    '502 of a proxy, which is no JSON',
    answering(502, '<html>Bad gateway</html>', { 'Content-Type': 'text/html' }),
    'UNAVAILABLE',
  ],
  ['200 which is no JSON', answering(200, '<html>Hello</html>', { 'Content-Type': 'text/html' }), 'UNAVAILABLE'],
  [
    '200 with a charset, which the client takes for a text',
    answering(200, JSON.stringify(user), { 'Content-Type': 'application/json; charset=utf-8' }),
    'UNAVAILABLE',
  ],
  ['200 with JSON that breaks off', answering(200, '{"id":"user_1","obj'), 'UNAVAILABLE'],
  ['200 with an object of another kind', answering(200, '{"id":"x","object":"something_new"}'), 'UNAVAILABLE'],
  ['200 with nothing in it', answering(200, '{}'), 'UNAVAILABLE'],
  ['no answer at all', silent, 'UNAVAILABLE'],
  ['a connection that breaks', (request) => void request.socket.destroy(), 'UNAVAILABLE'],
];

describe.each(shapes)('%s', (_what, answer, code) => {
  test.each(calls)(`${code} of %s`, async (name, call) => {
    script = answer;
    const error: unknown = await call(answer === silent ? impatient : idp).then(
      (value) => value,
      (failure: unknown) => failure,
    );
    expect(error, name).toMatchObject({ name: 'IdpError', code });
    if (code === 'RATE_LIMITED') expect(error).toMatchObject({ retryAfterS: 7 });
    // The log contains no secret and no personal data.
    expect(String(error)).not.toMatch(/sk_test|a@example/);
  });
});

test('a refused connection is UNAVAILABLE, also where keys are fetched', async () => {
  for (const [, call] of calls) await expect(call(unreachable)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('404 is null, CONFLICT is a duplicate in either spelling, REJECTED is an address Clerk refuses', async () => {
  script = refusing(404, 'resource_not_found');
  expect(await idp.getUser('user_1')).toBeNull();
  expect(await idp.revokeInvitation('inv_1')).toBe('already_closed');
  await expect(idp.setAccess('user_1', { platformRoles: [], whitelabelOwnership: null })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const pending = {
    id: 'inv_1',
    object: 'invitation',
    email_address: 'a@example.com',
    status: 'pending',
    public_metadata: {},
    created_at: 1,
    updated_at: 1,
  };
  const invite = () =>
    idp.invite({
      email: 'a@example.com',
      access: { platformRoles: [], whitelabelOwnership: null },
      redirectUrl: 'https://pay.example.com',
    });
  for (const [status, code] of [
    [400, 'duplicate_record'],
    [422, 'form_identifier_exists'],
    [409, 'whatever'],
  ] as const) {
    script = (request, response) =>
      (request.method === 'GET'
        ? answering(200, JSON.stringify({ data: [pending], total_count: 1 }))
        : refusing(status, code))(request, response);
    await expect(invite()).rejects.toMatchObject({ code: 'CONFLICT' });
  }
  script = refusing(422, 'form_param_format_invalid');
  await expect(invite()).rejects.toMatchObject({ code: 'REJECTED' });
});

test('the base address may carry a path', async () => {
  let requested = '';
  script = (request, response) => {
    requested = request.url ?? '';
    answering(200, JSON.stringify(user))(request, response);
  };
  expect(await idp.getUser('user_1')).toMatchObject({ id: 'user_1', email: '', emailVerified: false });
  expect(requested).toBe('/base/v1/users/user_1');
});
