import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClerkIdp } from '../../../src/adapters/clerk/clerk-idp.ts';
import type { IdentityProvider } from '../../../src/ports/identity-provider.ts';
import { type ClerkStandIn, clerkApiVersion, startClerkStandIn } from '../../support/clerk-stand-in.ts';
import { dropDatabase, emptyDatabase } from '../../support/database.ts';
import { testConfig } from '../../support/platform.ts';

let databaseUrl: string;
let standIn: ClerkStandIn;
let idp: IdentityProvider;
let jwksIdp: IdentityProvider;
const origins = new Set<string>();
// The channel contains the request.
const note = (message: unknown) => void origins.add((message as { request: { origin: string } }).request.origin);

beforeAll(async () => {
  databaseUrl = await emptyDatabase();
  standIn = await startClerkStandIn(databaseUrl);
  const { identity, publicUrl } = testConfig(databaseUrl, standIn.env);
  if (identity.kind !== 'clerk') throw new Error('The stand-in configures Clerk.');
  [idp, jwksIdp] = [openClerkIdp({ ...identity, publicUrl }), openClerkIdp({ ...identity, publicUrl, jwtKey: null })];
  subscribe('undici:request:create', note);
});
afterAll(async () => {
  unsubscribe('undici:request:create', note);
  await standIn.close();
  await dropDatabase(databaseUrl);
});

/** The requests of one call of the port. Lists and their counts are requested concurrently, in either order. */
async function wireOf(call: () => Promise<unknown>): Promise<string[]> {
  standIn.requests.length = 0;
  await call();
  return standIn.requests
    .map(({ method, path, query, body }) =>
      [
        method,
        decodeURIComponent(`${path}${query === '' ? '' : `?${query}`}`),
        ...(body === null ? [] : [JSON.stringify(body, null, 2)]),
      ].join(' '),
    )
    .sort()
    .flatMap((call) => call.split('\n'));
}

const named = (lines: string[], names: Record<string, string>) =>
  lines.map((line) => Object.entries(names).reduce((text, [name, id]) => text.replaceAll(id, `<${name}>`), line));

test('every call of the port is sent as recorded', async () => {
  const user = await standIn.idp.createUser({ email: 'wire@example.com', password: 'correct horse battery' });
  const organization = await standIn.idp.createOrganization({ name: 'Shop' });
  const first = await standIn.openSession('wire@example.com');
  const names: Record<string, string> = { user: user.id, org: organization.id, session: first.sessionId };
  const access = { platformRoles: ['partneradmin', 'partneradmin'], whitelabelOwnership: 'acme' };
  const wire: Record<string, string[]> = {};
  const record = async (name: string, call: () => Promise<unknown>) =>
    void (wire[name] = named(await wireOf(call), names));
  await record('verifySession', () => idp.verifySession({ bearer: first.bearer }));
  await record('verifySession, keys not given', async () => [
    await jwksIdp.verifySession({ bearer: first.bearer }),
    await jwksIdp.verifySession({ bearer: first.bearer }),
  ]);
  await record('getUser', () => idp.getUser(user.id));
  await record('findUserByEmail', () => idp.findUserByEmail('WIRE@example.com'));
  await record('setAccess', () => idp.setAccess(user.id, access));
  await record('setAccess, to nothing', () => idp.setAccess(user.id, { platformRoles: [], whitelabelOwnership: null }));
  await record(
    'invite',
    async () =>
      (names['invitation'] = (
        await idp.invite({ email: 'New@example.com', access, redirectUrl: 'https://pay.example.com/join' })
      ).id),
  );
  await record('invite, again', () =>
    idp.invite({ email: 'new@example.com', access, redirectUrl: 'https://pay.example.com/join' }).catch(() => {}),
  );
  await record('invite, with an account', () =>
    idp.invite({ email: 'wire@example.com', access, redirectUrl: 'https://pay.example.com/join' }),
  );
  await record('findPendingInvitation', () => idp.findPendingInvitation('new@example.com'));
  await record('revokeInvitation', () => idp.revokeInvitation(names['invitation'] ?? ''));
  await record('revokeSessions', () => idp.revokeSessions(user.id));
  await record('setOrganizationPartner', () => idp.setOrganizationPartner(organization.id, 'acme'));
  await record('setOrganizationPartner, none', () => idp.setOrganizationPartner(organization.id, null));
  await record('listUsers', () => idp.listUsers({ limit: 200, offset: 200 }));
  await record('listUsers, first page', () => idp.listUsers({ limit: 200, offset: 0 }));
  await record('listOrganizations', () => idp.listOrganizations({ limit: 200, offset: 200 }));
  await record('listOrgMembers', () => idp.listOrgMembers({ limit: 200, offset: 200 }));
  expect(wire).toMatchInlineSnapshot(`
    {
      "findPendingInvitation": [
        "GET /v1/invitations?status=pending&query=new@example.com&limit=100&paginated=true",
      ],
      "findUserByEmail": [
        "GET /v1/users/count?email_address=wire@example.com",
        "GET /v1/users?email_address=wire@example.com&limit=1",
      ],
      "getUser": [
        "GET /v1/users/<user>",
      ],
      "invite": [
        "POST /v1/invitations {",
        "  "email_address": "new@example.com",",
        "  "redirect_url": "https://pay.example.com/join",",
        "  "public_metadata": {",
        "    "platformRoles": [",
        "      "partneradmin"",
        "    ],",
        "    "whitelabelOwnership": "acme"",
        "  },",
        "  "notify": false,",
        "  "ignore_existing": false,",
        "  "expires_in_days": 7",
        "}",
      ],
      "invite, again": [
        "GET /v1/invitations?status=pending&query=new@example.com&limit=100&paginated=true",
        "POST /v1/invitations {",
        "  "email_address": "new@example.com",",
        "  "redirect_url": "https://pay.example.com/join",",
        "  "public_metadata": {",
        "    "platformRoles": [",
        "      "partneradmin"",
        "    ],",
        "    "whitelabelOwnership": "acme"",
        "  },",
        "  "notify": false,",
        "  "ignore_existing": false,",
        "  "expires_in_days": 7",
        "}",
      ],
      "invite, with an account": [
        "GET /v1/invitations?status=pending&query=wire@example.com&limit=100&paginated=true",
        "POST /v1/invitations {",
        "  "email_address": "wire@example.com",",
        "  "redirect_url": "https://pay.example.com/join",",
        "  "public_metadata": {",
        "    "platformRoles": [",
        "      "partneradmin"",
        "    ],",
        "    "whitelabelOwnership": "acme"",
        "  },",
        "  "notify": false,",
        "  "ignore_existing": false,",
        "  "expires_in_days": 7",
        "}",
        "POST /v1/invitations {",
        "  "email_address": "wire@example.com",",
        "  "redirect_url": "https://pay.example.com/join",",
        "  "public_metadata": {",
        "    "platformRoles": [",
        "      "partneradmin"",
        "    ],",
        "    "whitelabelOwnership": "acme"",
        "  },",
        "  "notify": false,",
        "  "ignore_existing": true,",
        "  "expires_in_days": 7",
        "}",
      ],
      "listOrgMembers": [
        "GET /v1/organization_memberships?limit=200&offset=200&order_by=+created_at",
      ],
      "listOrganizations": [
        "GET /v1/organizations?limit=200&offset=200&order_by=+created_at",
      ],
      "listUsers": [
        "GET /v1/users/count",
        "GET /v1/users?limit=200&offset=200&order_by=+created_at",
      ],
      "listUsers, first page": [
        "GET /v1/users/count",
        "GET /v1/users?limit=200&order_by=+created_at",
      ],
      "revokeInvitation": [
        "POST /v1/invitations/<invitation>/revoke",
      ],
      "revokeSessions": [
        "GET /v1/sessions?user_id=<user>&status=active&limit=100&paginated=true",
        "POST /v1/sessions/<session>/revoke",
      ],
      "setAccess": [
        "PATCH /v1/users/<user>/metadata {",
        "  "public_metadata": {",
        "    "platformRoles": [",
        "      "partneradmin"",
        "    ],",
        "    "whitelabelOwnership": "acme"",
        "  }",
        "}",
      ],
      "setAccess, to nothing": [
        "PATCH /v1/users/<user>/metadata {",
        "  "public_metadata": {",
        "    "platformRoles": [],",
        "    "whitelabelOwnership": null",
        "  }",
        "}",
      ],
      "setOrganizationPartner": [
        "PATCH /v1/organizations/<org>/metadata {",
        "  "public_metadata": {",
        "    "partnerSlug": "acme"",
        "  }",
        "}",
      ],
      "setOrganizationPartner, none": [
        "PATCH /v1/organizations/<org>/metadata {",
        "  "public_metadata": {",
        "    "partnerSlug": null",
        "  }",
        "}",
      ],
      "verifySession": [],
      "verifySession, keys not given": [
        "GET /v1/jwks",
      ],
    }
  `);
});

test("the version of the vendor's client is the one the calls were recorded from", async () => {
  const { version } = JSON.parse(
    readFileSync(
      join(import.meta.dirname, '..', '..', '..', 'node_modules', '@clerk', 'backend', 'package.json'),
      'utf8',
    ),
  ) as { version: string }; // every package has a version
  await idp.listUsers({ limit: 1, offset: 0 });
  const { headers } = standIn.requests.at(-1) ?? {};
  expect({ version, apiVersion: headers?.['clerk-api-version'], userAgent: headers?.['user-agent'] }).toEqual({
    version: '3.20.1',
    apiVersion: clerkApiVersion,
    userAgent: '@clerk/backend@3.20.1',
  });
});

test('no request goes to any host but the configured one', () => {
  expect([...origins]).toEqual([standIn.url]);
});
