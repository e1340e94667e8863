import type { Platform } from '../../sdk/src/index.ts';
import { type Endpoint, resources } from '../../sdk/src/resources.ts';

/** One row of the SDK's table, with the names by which a client calls it. */
export interface NamedEndpoint {
  names: string[];
  endpoint: Endpoint;
}

export function endpointsOf(table: object = resources, names: string[] = []): NamedEndpoint[] {
  return Object.entries(table).flatMap(([name, part]: [string, object]) =>
    'operation' in part
      ? [{ names: [...names, name], endpoint: part as Endpoint }]
      : endpointsOf(part, [...names, name]),
  );
}

/** Calls the method of the SDK for a method and path of REST, with untyped arguments. */
export async function callBySdk(
  platform: Platform,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const found = endpointsOf()
    .filter(({ endpoint }) => endpoint.method === method)
    .map(({ names, endpoint }) => ({
      names,
      endpoint,
      match: new RegExp(`^${endpoint.path.replace(/\{\w+\}/, '([^/]+)')}$`).exec(path),
    }))
    // A literal path wins over one with an identifier.
    .sort((left, right) => Number(left.endpoint.path.includes('{')) - Number(right.endpoint.path.includes('{')))
    .find(({ match }) => match);
  if (!found) throw new Error(`The SDK has no method for ${method} ${path}.`);
  const { names, endpoint, match } = found;
  const takesMore =
    endpoint.kind === 'write' || endpoint.kind === 'list' || endpoint.operation === 'DeletePluginDeployment';
  const call = names.reduce<any>((part, name) => part[name], platform);
  return call(...(match?.[1] === undefined ? [] : [match[1]]), ...(takesMore ? [body] : []), { headers });
}
