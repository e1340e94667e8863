import { type Endpoint, resources } from '../../sdk/src/resources.ts';
import type { Example } from './openapi-examples.ts';
import type { JsonSchema } from './openapi-schemas.ts';

/** The methods of the SDK by the name of their operation. */
const methods = new Map(methodsOf(resources, 'platform'));

/** How the SDK calls an operation, with the values of its example. Nothing if it has no method for it. */
export function codeSamples(operation: string, example: Example | undefined): JsonSchema {
  const method = methods.get(operation);
  if (!method || !example) return {};
  const id = Object.values(example.params ?? {}).map((value) => literal(value));
  const body = example.body === undefined ? [] : [literal(example.body)];
  const call = `${method.name}(${[...id, ...body].join(', ')})`;
  const source =
    method.kind === 'list' ? `for await (const item of ${call}) console.log(item);` : `const answer = await ${call};`;
  return { 'x-codeSamples': [{ lang: 'JavaScript', label: 'SDK', source }] };
}

function methodsOf(table: object, path: string): [string, { name: string; kind: Endpoint['kind'] }][] {
  return Object.entries(table).flatMap(([name, part]: [string, object]) => {
    if (!('operation' in part)) return methodsOf(part, `${path}.${name}`);
    const { operation, kind } = part as Endpoint; // the table has endpoints, and objects of them
    return [[operation, { name: `${path}.${name}`, kind }]];
  });
}

/** A value as a program writes it. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, part]: [string, unknown]) => `${nameOf(name)}: ${literal(part, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const line = parts.length === 0 ? `${open}${close}`.replaceAll(' ', '') : `${open}${parts.join(', ')}${close}`;
  if (indent.length + line.length <= 80 && !line.includes('\n')) return line;
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`;
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}
