import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { printedOpenApi } from '../../rest/print-openapi.ts';
import { printedTypes } from '../../sdk/print-types.ts';
import { forBrowsers } from '../../sdk/src/resources.ts';
import { endpointsOf } from '../support/sdk.ts';

interface Operation {
  operationId: string;
  parameters?: { $ref?: string; in?: string }[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
}
const { paths } = JSON.parse(printedOpenApi()) as { paths: Record<string, Record<string, Operation>> };

test('the table of the SDK is every operation of the document that a server calls, with its method, path and kind', () => {
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operation: operation.operationId,
      method: method.toUpperCase(),
      path,
      kind: kindOf(method, operation),
    })),
  );
  const name = ({ operation }: { operation: string }): string => operation;
  const byName = (left: { operation: string }, right: { operation: string }): number =>
    name(left) < name(right) ? -1 : 1;
  expect(documented.length).toBeGreaterThan(100);
  expect(
    endpointsOf()
      .map(({ endpoint }) => endpoint)
      .sort(byName),
  ).toEqual(documented.filter(({ operation }) => !forBrowsers.includes(operation)).sort(byName));
});

function kindOf(method: string, { parameters = [], requestBody, responses }: Operation): string {
  const isWrite = parameters.some(({ $ref }) => $ref?.endsWith('Idempotency-Key'));
  const answer = responses['200']?.content?.['application/json']?.schema.$ref ?? '';
  if (!isWrite) return answer.endsWith('Page') && method === 'post' ? 'list' : 'read';
  return requestBody ? 'write' : 'action';
}

test('one operation has a query: of the others nothing is lost', () => {
  const withQuery = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ parameters = [] }) => parameters.some((parameter) => parameter.in === 'query'));
  expect(withQuery.map(({ operationId }) => operationId).filter((name) => !forBrowsers.includes(name))).toEqual([
    'DeletePluginDeployment',
  ]);
});

test('the types of the SDK are those of the document: after a change run `npm run print`', async () => {
  const file = readFileSync(join(import.meta.dirname, '..', '..', 'sdk', 'src', 'openapi.ts'), 'utf8');
  expect(file === (await printedTypes())).toBe(true);
});
