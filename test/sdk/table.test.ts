import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { printedOpenApi } from '../../rest/print-openapi.ts';
import { printedTypes } from '../../sdk/print-types.ts';
import { forBrowsers } from '../../sdk/src/resources.ts';
import { endpointsOf } from '../support/sdk.ts';

const root = join(import.meta.dirname, '..', '..');

interface Operation {
  'x-codeSamples'?: { lang: string; source: string }[];
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
  const file = readFileSync(join(root, 'sdk', 'src', 'openapi.ts'), 'utf8');
  expect(file === (await printedTypes())).toBe(true);
});

test('every operation of the reference has the call of the SDK, and its types are right', async () => {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const shown = operations.filter(({ operationId }) => !forBrowsers.includes(operationId));
  expect(shown.filter((operation) => operation['x-codeSamples']?.length !== 1)).toEqual([]);
  const calls = shown.map((one) => `async () => {\n${one['x-codeSamples']?.[0]?.source}\n},`);
  const folder = mkdtempSync(join(tmpdir(), 'sdk-samples-'));
  try {
    const sdk = join(root, 'sdk', 'src', 'index.ts');
    const declared = `import type { TestPlatform } from '${sdk}';\ndeclare const platform: TestPlatform;\n`;
    writeFileSync(join(folder, 'samples.ts'), `${declared}export const samples = [\n${calls.join('\n')}\n];\n`);
    const compilerOptions = { noEmit: true, noUnusedLocals: false, typeRoots: [join(root, 'node_modules', '@types')] };
    const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['samples.ts'] };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const checked = promisify(execFile)(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder]);
    expect((await checked.catch((error: { stdout: string }) => error)).stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
