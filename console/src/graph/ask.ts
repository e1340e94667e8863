import { print } from '@0no-co/graphql.web';
import type { TadaDocumentNode } from 'gql.tada';
import { Failure, type Issue } from './failure.ts';
import { noteServerTime } from './server-time.ts';

interface GraphError {
  message: string;
  extensions?: { code?: string; data?: { reason?: string; effect?: string; issues?: Issue[]; retryAfter?: number } };
}

interface Answer<Data> {
  data?: Data | null;
  errors?: GraphError[];
  // the body of a refusal before the graph
  message?: string;
  code?: string;
}

export interface AskOptions {
  /** The same key sends a mutation again without doing it twice. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

let userId: string | undefined;

/**
 * From now on the platform does what is asked only in the session of this user. Another person may sign in in another
 * tab, with whose cookie this page would go on.
 */
export function askAs(user: string): void {
  userId = user;
}

/** Sends a document to `/graphql` with the session of the browser. Throws a `Failure` if any part was refused. */
export async function ask<Data, Variables>(
  document: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  { idempotencyKey, signal }: AskOptions = {},
): Promise<Data> {
  const response = await send(JSON.stringify({ query: print(document), variables }), idempotencyKey, signal);
  noteServerTime(response.headers.get('Date'));
  const requestId = response.headers.get('Request-Id');
  const answer = await readJson<Answer<Data>>(response, requestId);
  const [error] = answer.errors ?? [];
  if (error) {
    const { code = 'INTERNAL_SERVER_ERROR', data = {} } = error.extensions ?? {};
    throw new Failure(error.message, { code, ...data, requestId });
  }
  if (answer.data) return answer.data;
  throw new Failure(answer.message ?? `The server responded with ${response.status}.`, {
    code: answer.code ?? (response.status === 401 ? 'NOT_AUTHORIZED' : 'INTERNAL_SERVER_ERROR'),
    requestId,
  });
}

async function send(body: string, key: string | undefined, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch('/graphql', {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        ...(userId === undefined ? {} : { 'Session-User': userId }),
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
      body,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure('The server did not respond. Check your connection, then try again.', { code: 'NETWORK' });
  }
}

async function readJson<Json>(response: Response, requestId: string | null): Promise<Json> {
  try {
    return (await response.json()) as Json;
  } catch {
    throw new Failure(`The platform answered ${response.status} without a readable body. Try again.`, {
      code: response.status >= 500 ? 'SERVICE_UNAVAILABLE' : 'NETWORK',
      requestId,
    });
  }
}
