import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';

/** The files of the console by their name, as they are served. The same sources give the same files. */
async function buildConsole(): Promise<Map<string, string>> {
  const result = await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    build: { write: false },
  });
  if (!('output' in result)) throw new Error('The build of the console has no output.');
  return new Map(
    result.output.map((file) => [
      file.fileName,
      file.type === 'chunk' ? file.code : Buffer.from(file.source).toString('utf8'),
    ]),
  );
}

/** Stores the files compressed, as most browsers take them. */
async function storeConsole(folder: string): Promise<void> {
  const files = await buildConsole();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) {
    const body = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text) } });
    writeFileSync(join(folder, `${name.replace('assets/', '')}.br`), body);
  }
}

// Vite and React build for development where NODE_ENV is not this.
process.env['NODE_ENV'] = 'production';
await storeConsole(process.argv[2] ?? join(import.meta.dirname, 'dist'));
