import { Kind, print, visit } from 'graphql';
import { clientOf } from '../support/client.ts';
import { iamEndpoints } from '../support/operations.ts';
import type { TestPlatform } from '../support/platform.ts';
import { callIam } from './people.ts';

export interface Reply {
  status: number;
  /** The value of the root field, or null. */
  answer: Record<string, unknown> | null;
  message: string;
}

export type Transport = (
  platform: TestPlatform,
  path: string,
  body: Record<string, unknown>,
  headers: Record<string, string>,
) => Promise<Reply>;

const statuses: Record<string, number> = {
  NOT_AUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  INPUT_PARSE_ERROR: 422,
  TOO_MANY_REQUESTS: 429,
};

export const rest: Transport = async (platform, path, body, headers) => {
  const answer = await callIam(platform, path, body, headers);
  return {
    status: answer.status,
    answer: answer.status === 200 ? answer.body : null,
    message: answer.body.message ?? '',
  };
};

/** Sends the same request to /graphql, with the operation of its REST document. */
export const graphql: Transport = async (platform, path, body, headers) => {
  const found = documents.find((document) => document.pattern.test(path));
  if (!found) throw new Error(`No document serves ${path}`);
  const params = found.pattern.exec(path)?.groups ?? {};
  const variables = { ...params, ...(found.takesBody ? { body } : body) };
  const result = await clientOf(platform).graphql(found.text, variables, headers);
  const error = result.errors?.[0];
  if (error) return { status: statuses[error.extensions.code] ?? 500, answer: null, message: error.message };
  // one root field per document
  return { status: 200, answer: Object.values(result.data)[0] as Record<string, unknown>, message: '' };
};

const documents = iamEndpoints.map(({ path, document: { operation, fragments } }) => ({
  pattern: new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  takesBody: operation.variableDefinitions?.some(({ variable }) => variable.name.value === 'body') ?? false,
  text: print(
    visit(
      { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] },
      {
        Directive: () => null,
        // The schema of REST alone has `self`, the object itself.
        Field: ({ name, selectionSet }) =>
          name.value === 'self' && selectionSet ? { kind: Kind.INLINE_FRAGMENT, selectionSet } : undefined,
      },
    ),
  ),
}));
