import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { platformVersion } from '../../settings/packages.ts';
import { archiveFormat, type Manifest, pathsOf } from './manifest.ts';

/** A row on its way into a file: its columns as JSON, and what its manifest says of it. */
export interface ArchivedRow {
  id: string;
  /** Its time as the database writes it. */
  at: string;
  /** Of a row of the audit log. */
  sequence: number | null;
  line: string;
}

/**
 * Writes rows as compressed JSON lines, and then their manifest. Each of the two files appears when it is whole and on
 * the disk, in place of one of the same name. Null if there were no rows.
 */
export async function writeArchiveFile(
  dir: string,
  about: Pick<Manifest, 'name' | 'series' | 'month' | 'writtenAt'>,
  batches: AsyncIterable<readonly ArchivedRow[]>,
): Promise<Manifest | null> {
  const paths = pathsOf(dir, about.name);
  const draft = `${paths.data}.part`;
  const hash = createHash('sha256');
  let [rows, bytes] = [0, 0];
  let first: ArchivedRow | undefined;
  let last: ArchivedRow | undefined;
  async function* text(): AsyncGenerator<string> {
    for await (const batch of batches) {
      rows += batch.length;
      first ??= batch[0];
      last = batch.at(-1) ?? last;
      yield batch.map(({ line }) => `${line}\n`).join('');
    }
  }
  async function* counted(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of compressed) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    await pipeline(text, createGzip(), counted, createWriteStream(draft, { mode: 0o600, flush: true }));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (!first || !last) {
    await rm(draft);
    return null;
  }
  const manifest: Manifest = {
    format: archiveFormat,
    ...about,
    rows,
    bytes,
    sha256: hash.digest('hex'),
    firstId: first.id,
    lastId: last.id,
    firstSequence: first.sequence,
    lastSequence: last.sequence,
    version: platformVersion(),
  };
  await rename(draft, paths.data);
  await writeFile(`${paths.manifest}.part`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${paths.manifest}.part`, paths.manifest);
  await syncDirectory(dir);
  return manifest;
}

/** The lines of a file, two thousand at a time. Throws if the file is damaged; `digest` is complete at the end. */
export async function* readLines(path: string, digest = createHash('sha256')): AsyncGenerator<string[]> {
  const source = createReadStream(path);
  const stream = createGunzip();
  source.on('data', (chunk) => digest.update(chunk));
  source.on('error', (error) => stream.destroy(error));
  let held = '';
  let lines: string[] = [];
  // Not by `readline`, for which a line also ends at characters that JSON may contain.
  for await (const chunk of source.pipe(stream).setEncoding('utf8') as AsyncIterable<string>) {
    const [begun = '', ...more] = chunk.split('\n');
    held += begun;
    for (const next of more) {
      lines.push(held);
      held = next;
      if (lines.length === batchSize) {
        yield lines;
        lines = [];
      }
    }
  }
  if (held !== '') lines.push(held);
  if (lines.length > 0) yield lines;
}

const batchSize = 2_000;

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
