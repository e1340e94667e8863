import type { TestPlatform } from './platform.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // Answers differ by endpoint. A test reads the fields it names, and fails if a name is wrong.
  body: any;
}

export interface CallOptions {
  headers?: Record<string, string>;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
}

/** A client of a platform with one credential. */
export interface Client {
  /** POST with a body, otherwise GET, unless `options.method` is set. Paths are below /api/public/v1. */
  call(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** As `call`, but fails the test with the whole answer unless it is 200. Returns the body. */
  ok(path: string, body?: unknown, options?: CallOptions): Promise<Answer['body']>;
  /** Runs a GraphQL operation and returns `{data, errors}`. */
  graphql(
    query: string,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Answer['body']>;
}

export function clientOf(platform: Pick<TestPlatform, 'url'>, key?: string): Client {
  const authorization: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };

  async function send(
    url: string,
    method: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(url, {
      method,
      headers: { ...authorization, ...json, ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
    };
  }

  const call: Client['call'] = (path, body, { method, headers } = {}) =>
    send(`${platform.url}/api/public/v1${path}`, method ?? (body === undefined ? 'GET' : 'POST'), body, headers);
  return {
    call,
    async ok(path, body, options) {
      const answer = await call(path, body, options);
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async graphql(query, variables = {}, headers) {
      return (await send(`${platform.url}/graphql`, 'POST', { query, variables }, headers)).body;
    },
  };
}
