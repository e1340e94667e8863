import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import express from 'express';
import { expect, test } from 'vitest';
import { referenceRoutes } from '../../../rest/pages/developers/reference.ts';
import { createAsset } from '../../../rest/pages/frame/assets.ts';
import { scalar, scalarFile } from '../../../rest/vendor/scalar.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Every JSON text that a generated module parses. */
function parsedTexts(module: string): unknown[] {
  return [...module.matchAll(/JSON\.parse\(("(?:[^"\\]|\\.)*")\)/g)].map(([, text = '']) =>
    JSON.parse(JSON.parse(text) as string),
  );
}

test('a server installs at most 260 packages, and neither the Prisma CLI nor what tests and type checks need', () => {
  type Locked = { dev?: boolean; os?: string | string[]; cpu?: string | string[] };
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const served = Object.entries(packages)
    .filter(([path, { dev = false }]) => path.includes('node_modules/') && !dev)
    .filter(([, { os = 'linux', cpu = 'x64' }]) => os.includes('linux') && cpu.includes('x64'))
    .map(([path]) => path);
  expect(served.length).toBeGreaterThan(100);
  expect(served.length).toBeLessThanOrEqual(260);
  for (const name of ['prisma', 'vitest', 'typescript', '@scalar/api-reference', 'node'])
    expect(served).not.toContain(`node_modules/${name}`);
});

test('the client that is generated without the Prisma CLI is the same at run time as the one with types', () => {
  const folder = mkdtempSync(join(tmpdir(), 'generated-'));
  try {
    execFileSync(process.execPath, [join(root, 'src', 'cli', 'generate-client.mjs'), folder]);
    const [config] = parsedTexts(readFileSync(join(folder, 'prisma', 'client.ts'), 'utf8')) as [
      { runtimeDataModel: unknown; parameterizationSchema: { strings: string[]; graph: string }; inlineSchema: string },
    ];
    const typed = read('src/generated/prisma/internal/class.ts');
    expect(parsedTexts(typed)).toEqual([config.runtimeDataModel, config.parameterizationSchema.strings]);
    expect(typed).toContain(`graph: "${config.parameterizationSchema.graph}"`);
    const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
    const [, schema = ''] = /"inlineSchema": ("(?:[^"\\]|\\.)*")/.exec(typed) ?? [];
    expect(words(config.inlineSchema)).toBe(words(JSON.parse(schema) as string));
    const pothos = readFileSync(join(folder, 'pothos.ts'), 'utf8');
    expect(parsedTexts(pothos)).toEqual(parsedTexts(read('src/generated/pothos.ts')));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('200 for the bundle, compressed for whom takes Brotli and plain for others; 304 for whom has it', async () => {
  const app = express().use(
    referenceRoutes({ openApi: async () => createAsset('openapi.json', '{}'), demoKey: async () => undefined }),
  );
  const server = app.listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // of a server that listens on TCP
    server.keepAliveTimeout = 0; // a slow machine reads an answer of 4 MB for longer than the time-out
    const get = async (given: Record<string, string>) => {
      const { status, headers, ...rest } = await ask(`http://127.0.0.1:${port}/api/public/v1/docs/scalar.js`, given);
      return { status, encoding: headers.get('Content-Encoding'), tag: headers.get('ETag') ?? '', ...rest };
    };
    const compressed = await get({ 'Accept-Encoding': 'gzip, br' });
    const plain = await get({ 'Accept-Encoding': 'identity' });
    expect(compressed).toMatchObject({ status: 200, encoding: 'br', sha256: scalar.sha256 });
    expect(plain).toMatchObject({ status: 200, encoding: null, sha256: scalar.sha256 });
    const known = { 'Accept-Encoding': 'identity', 'If-None-Match': plain.tag };
    expect(await get(known)).toMatchObject({ status: 304, length: 0 });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

async function ask(url: string, headers: Record<string, string>) {
  const answer = await fetch(url, { headers });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    sha256: createHash('sha256').update(text).digest('hex'),
    length: text.length,
  };
}

test('the vendored bundle of the API reference is the file of its package, by hash', () => {
  const bundle = brotliDecompressSync(readFileSync(scalarFile));
  expect(createHash('sha256').update(bundle).digest('hex')).toBe(scalar.sha256);
  expect(scalar).toMatchObject({ package: '@scalar/api-reference', license: 'MIT' });
});
