import type { TestPlatform } from './platform.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // Answers differ by endpoint, and a test looks at what it names; a wrong name fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
}

export interface CallOptions {
  headers?: Record<string, string>;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
}

/** Speaks to a platform with one credential. */
export interface Client {
  /** POST with a body, GET without one; `options.method` says otherwise. Paths are below /api/public/v1. */
  call(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** The same, and fails the test with the whole answer unless it is 200. Gives the body. */
  ok(path: string, body?: unknown, options?: CallOptions): Promise<Answer['body']>;
  /** A GraphQL operation; gives `{data, errors}`. */
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
