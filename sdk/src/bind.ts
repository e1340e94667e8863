import { pathWith, type Query } from './address.ts';
import { ApiCall } from './call.ts';
import { ConfigurationError } from './errors.ts';
import { checkMode, type Mode } from './mode.ts';
import type { CallOptions } from './options.ts';
import { ListCall } from './pages.ts';
import type { Endpoint } from './resources.ts';
import type { Methods } from './surface.ts';
import type { ApiRequest, Transport } from './transport.ts';

const mebibyte = 1024 * 1024;

/** The methods of a part of the table. Their types are those of the document, which the table names. */
export function bind<Table extends object>(table: Table, transport: Transport): Methods<Table> {
  const bound = Object.entries(table).map(([name, part]: [string, unknown]) => {
    const isEndpoint = typeof part === 'object' && part !== null && 'operation' in part;
    return [name, isEndpoint ? methodOf(part as Endpoint, transport) : bind(part as object, transport)];
  });
  return Object.fromEntries(bound) as Methods<Table>;
}

function methodOf(endpoint: Endpoint, transport: Transport): (...given: unknown[]) => unknown {
  const { kind, method, path } = endpoint;
  const { mode } = transport.key;
  const hasId = path.includes('{');
  return (...given) => {
    const rest = [...given];
    const request: ApiRequest = {
      method,
      path: hasId ? pathWith(path, idOf(rest.shift(), mode, `The argument of ${path}`)) : path,
      shown: path,
      isWrite: kind === 'write' || kind === 'action',
      bodyBytesMax: (endpoint.operation === 'DeployPlugin' ? 5 : 1) * mebibyte,
    };
    if (kind === 'list') {
      const body = bodyOf(rest.shift(), mode);
      const options = optionsOf(rest);
      return new ListCall((requested) => transport.send({ ...request, body: requested }, options), body);
    }
    if (kind === 'write') request.body = bodyOf(rest.shift(), mode);
    if (endpoint.operation === 'DeletePluginDeployment') request.query = bodyOf(rest.shift(), mode) as Query;
    return new ApiCall(transport.send(request, optionsOf(rest)));
  };
}

function optionsOf([options, ...more]: readonly unknown[]): CallOptions {
  if (more.length > 0 || (options !== undefined && (typeof options !== 'object' || options === null)))
    throw new ConfigurationError('The call has too many arguments. Nothing was sent.');
  return options ?? {};
}

function bodyOf(given: unknown, mode: Mode): Record<string, unknown> {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ConfigurationError('The body is not an object. Nothing was sent.');
  return Object.fromEntries(
    Object.entries(given).map(([name, value]: [string, unknown]) => [
      name,
      name.endsWith('Id') && typeof value === 'object' && value !== null ? idOf(value, mode, name) : value,
    ]),
  );
}

/** The identifier that is given, or that of the object that is given, if it is of the client's mode. */
function idOf(given: unknown, mode: Mode, what: string): string {
  if (typeof given !== 'object' || given === null) return given as string; // `pathWith` refuses what is no text
  checkMode(given, mode, what);
  return 'id' in given ? (given.id as string) : '';
}
