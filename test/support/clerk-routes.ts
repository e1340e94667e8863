import type pg from 'pg';
import type { EmbeddedIdp } from '../../src/adapters/embedded-idp/embedded-idp.ts';
import { IdpError } from '../../src/ports/identity-provider.ts';
import type { ClerkPages } from './clerk-pages.ts';
import { invitationJson, membershipJson, organizationJson, type Row, sessionJson, userJson } from './clerk-wire.ts';

export interface ClerkRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
}

/** An error as Clerk returns it. */
export class ClerkRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.headers = headers;
    this.status = status;
    this.code = code;
  }
}

type Handler = (request: { id: string; query: URLSearchParams; body: Row }) => Promise<unknown>;

interface Route {
  /** The query parameters it knows; others are rejected, so that a filter without effect is noticed. */
  query?: readonly string[];
  /** The fields of the body it knows. */
  body?: readonly string[];
  handle: Handler;
}

const paging = ['limit', 'offset', 'order_by'];

export function createClerkRoutes({
  pool,
  idp,
  jwks,
  pages,
}: {
  pool: pg.Pool;
  idp: EmbeddedIdp;
  jwks: unknown;
  pages(): ClerkPages;
}): (request: ClerkRequest) => Promise<unknown> {
  const rowsOf = async (sql: string, values: unknown[] = []): Promise<Row[]> =>
    (await pool.query<Row>(sql, values)).rows;
  const one = async (table: string, id: string): Promise<Row> => {
    const [row] = await rowsOf(`SELECT * FROM ${table} WHERE id = $1`, [id]);
    if (!row) throw new ClerkRefusal(404, 'resource_not_found', 'not found');
    return row;
  };
  const page = async (
    sql: string,
    values: unknown[],
    query: URLSearchParams,
    toJson: (row: Row) => Row,
  ): Promise<{ data: Row[]; total_count: number }> => {
    const limit = Number(query.get('limit') ?? 10);
    if (!(limit >= 1 && limit <= 500)) throw new ClerkRefusal(422, 'form_param_invalid', 'limit is out of range');
    const all = await rowsOf(sql, values);
    const offset = Number(query.get('offset') ?? 0);
    // Newest first, unless the request names an order.
    if (query.get('order_by') !== '+created_at') all.reverse();
    return { data: all.slice(offset, offset + limit).map(toJson), total_count: all.length };
  };
  const emailsOf = (query: URLSearchParams) => query.getAll('email_address').map((email) => assertLowerCase(email));
  const users = `SELECT * FROM "user" WHERE cardinality($1::text[]) = 0 OR email = ANY($1) ORDER BY "createdAt", id`;
  const mergeMetadata = async (table: string, id: string, patch: unknown): Promise<Row> => {
    const merged = merge((await one(table, id))['publicMetadata'], patch);
    const [row] = await rowsOf(`UPDATE ${table} SET "publicMetadata" = $2 WHERE id = $1 RETURNING *`, [id, merged]);
    return row ?? {};
  };

  const table: Record<string, Route> = {
    'GET /v1/jwks': { handle: async () => jwks },
    'GET /v1/users': {
      query: ['email_address', ...paging],
      handle: async ({ query }) => (await page(users, [emailsOf(query)], query, userJson)).data,
    },
    'GET /v1/users/count': {
      query: ['email_address'],
      handle: async ({ query }) => ({
        object: 'total_count',
        total_count: (await rowsOf(users, [emailsOf(query)])).length,
      }),
    },
    'GET /v1/users/:id': { handle: async ({ id }) => userJson(await one('"user"', id)) },
    'PATCH /v1/users/:id/metadata': {
      body: ['public_metadata'],
      handle: async ({ id, body }) => userJson(await mergeMetadata('"user"', id, body['public_metadata'])),
    },
    'POST /v1/invitations': {
      body: ['email_address', 'redirect_url', 'public_metadata', 'notify', 'ignore_existing', 'expires_in_days'],
      async handle({ body }) {
        const email = assertLowerCase(String(body['email_address']));
        if (email.endsWith('@refused.example.com'))
          throw new ClerkRefusal(422, 'form_param_format_invalid', 'is not an address we send to');
        const hasAccount = (await rowsOf('SELECT 1 FROM "user" WHERE lower(email) = $1', [email])).length > 0;
        if (hasAccount && body['ignore_existing'] !== true)
          throw new ClerkRefusal(422, 'form_identifier_exists', 'That email address is taken.');
        const { platformRoles = [], whitelabelOwnership = null } = body['public_metadata'] as {
          platformRoles?: string[];
          whitelabelOwnership?: string | null;
        }; // the adapter's own
        const access = { platformRoles, whitelabelOwnership };
        const made = await idp
          .invite({
            email,
            access,
            redirectUrl: String(body['redirect_url']),
            expiresInDays: Number(body['expires_in_days']),
          })
          .catch((error: unknown) => {
            if (error instanceof IdpError && error.code === 'CONFLICT')
              throw new ClerkRefusal(
                400,
                'duplicate_record',
                'There are already pending invitations for the following email addresses.',
              );
            throw error;
          });
        const ticket = new URL(made.acceptUrl ?? '').searchParams.get('ticket');
        return invitationJson(
          await one('invitation', made.id),
          `https://clerk.stand-in.example.com/v1/tickets/accept?ticket=${ticket}`,
        );
      },
    },
    'GET /v1/invitations': {
      query: ['status', 'query', 'paginated', ...paging],
      async handle({ query }) {
        assertPaginated(query);
        return page(
          `SELECT *
            FROM invitation
            WHERE ($1 = 'pending') = (status = 'pending' AND "expiresAt" > now()) AND email LIKE '%' || $2 || '%'
            ORDER BY "createdAt", id`,
          [query.get('status'), query.get('query') ?? ''],
          query,
          (row) => invitationJson(row),
        );
      },
    },
    'POST /v1/invitations/:id/revoke': {
      async handle({ id }) {
        if (!id.startsWith('inv_')) throw new ClerkRefusal(404, 'resource_not_found', 'not found');
        if ((await idp.revokeInvitation(id)) === 'already_closed')
          throw new ClerkRefusal(400, 'invitation_already_revoked', 'already closed');
        return invitationJson(await one('invitation', id));
      },
    },
    'GET /v1/sessions': {
      query: ['user_id', 'status', 'paginated', ...paging],
      async handle({ query }) {
        assertPaginated(query);
        return page(
          'SELECT * FROM session WHERE "userId" = $1 ORDER BY "createdAt", id',
          [query.get('user_id')],
          query,
          (row) => sessionJson(row, 'active'),
        );
      },
    },
    'POST /v1/sessions/:id/revoke': {
      async handle({ id }) {
        const row = await one('session', id);
        await pool.query('DELETE FROM session WHERE id = $1', [id]);
        return sessionJson(row, 'revoked');
      },
    },
    'POST /v1/sessions/:id/refresh': {
      query: ['suffixed_cookies'],
      body: ['format', 'expired_token', 'refresh_token', 'request_origin', 'request_headers'],
      handle: async ({ id, body }) => ({
        object: 'cookies',
        cookies: await pages().refresh(id, {
          refreshToken: String(body['refresh_token']),
          origin: String(body['request_origin']),
        }),
      }),
    },
    'GET /v1/clients/handshake_payload': {
      query: ['nonce'],
      handle: async ({ query }) => ({ directives: pages().takePayload(query.get('nonce') ?? '') }),
    },
    'GET /v1/organizations': {
      query: paging,
      handle: ({ query }) => page('SELECT * FROM organization ORDER BY "createdAt", id', [], query, organizationJson),
    },
    'PATCH /v1/organizations/:id/metadata': {
      body: ['public_metadata'],
      handle: async ({ id, body }) =>
        organizationJson(await mergeMetadata('organization', id, body['public_metadata'])),
    },
    'GET /v1/organization_memberships': {
      query: paging,
      handle: ({ query }) =>
        page('SELECT * FROM membership ORDER BY "createdAt", "organizationId", "userId"', [], query, membershipJson),
    },
  };
  const routes = Object.entries(table).map(([name, route]) => ({
    ...route,
    pattern: new RegExp(`^${name.replace(':id', '(?<id>[^/]+)')}$`),
    isLiteral: !name.includes(':'),
  }));

  return async ({ method, path, query, body }) => {
    const fitting = routes.filter(({ pattern }) => pattern.test(`${method} ${path}`));
    const route = fitting.find(({ isLiteral }) => isLiteral) ?? fitting[0];
    if (!route) throw new ClerkRefusal(404, 'resource_not_found', `${method} ${path}`);
    for (const name of query.keys())
      if (!route.query?.includes(name))
        throw new ClerkRefusal(422, 'form_param_unknown', `${name} is not a valid parameter for this request.`);
    if (body !== null && !route.body) throw new ClerkRefusal(400, 'request_body_invalid', 'No body is taken here.');
    for (const name of Object.keys(body ?? {}))
      if (!route.body?.includes(name))
        throw new ClerkRefusal(422, 'form_param_unknown', `${name} is not a valid parameter for this request.`);
    return route.handle({
      id: route.pattern.exec(`${method} ${path}`)?.groups?.['id'] ?? '',
      query,
      body: (body ?? {}) as Row,
    });
  };
}

/** Objects are merged, null removes a key, and all other values, including arrays, are replaced. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const merged = new Map(Object.entries(isMap(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function isMap(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether Clerk finds an address in a different case is not documented, so the adapter must send lower case. */
function assertLowerCase(email: string): string {
  if (email !== email.toLowerCase())
    throw new ClerkRefusal(422, 'form_param_format_invalid', 'An address is to be sent in lower case.');
  return email;
}

function assertPaginated(query: URLSearchParams): void {
  if (query.get('paginated') !== 'true') throw new ClerkRefusal(422, 'form_param_missing', 'paginated');
}
