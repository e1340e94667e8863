import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { readLines } from './archive-file.ts';
import { type Manifest, pathsOf } from './manifest.ts';

/** A row as it stands in a file: the columns of its table. */
export interface FileRow {
  id: string;
  /** Of an event. */
  createdAt?: string;
  platformAccountId?: string;
  objectId?: string;
  /** Of a row of the audit log. */
  at?: string;
  target?: string | null;
  sequence: number;
}

/** Reads a whole file and compares it with its manifest. Returns what is wrong, or null. */
export async function fileProblem(dir: string, manifest: Manifest): Promise<string | null> {
  const { data } = pathsOf(dir, manifest.name);
  const digest = createHash('sha256');
  let rows = 0;
  let first: string | undefined;
  let last: string | undefined;
  try {
    const { size } = await stat(data);
    if (size !== manifest.bytes) return `it has ${size} bytes instead of ${manifest.bytes}`;
    for await (const lines of readLines(data, digest)) {
      for (const row of lines.map(parseRow)) {
        const problem = rowProblem(row, manifest, rows);
        if (problem !== null) return `row ${rows + 1}: ${problem}`;
        rows += 1;
        first ??= row.id;
        last = row.id;
      }
    }
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (digest.digest('hex') !== manifest.sha256) return 'its SHA-256 is not that of the manifest';
  if (rows !== manifest.rows) return `it has ${rows} rows instead of ${manifest.rows}`;
  return first === manifest.firstId && last === manifest.lastId ? null : 'its rows are not those of the manifest';
}

export function parseRow(line: string): FileRow {
  return JSON.parse(line) as FileRow; // the columns of the table it was written from
}

function rowProblem({ sequence, createdAt }: FileRow, manifest: Manifest, index: number): string | null {
  if (manifest.firstSequence === null)
    return createdAt?.startsWith(manifest.month) ? null : `it is not of ${manifest.month}`;
  const expected = manifest.firstSequence + index;
  return sequence === expected ? null : `it is not row ${expected} of the audit log`;
}
