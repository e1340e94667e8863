import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../settings/config.ts';

export const archiveFormat = 'partner-payments-archive/1';

/** What a file contains: the events of one mode, or a part of the audit log. */
export const allSeries = ['events-live', 'events-test', 'audit'] as const;
export type Series = (typeof allSeries)[number];

/** What is known of an archive file without opening it. It stands beside the file. */
export interface Manifest {
  format: typeof archiveFormat;
  /** `<series>-<month>-<number>`. A month has more than one file when rows of it were still needed at the first. */
  name: string;
  series: Series;
  /**
   * Of its rows, in UTC: `YYYY-MM`. A row of the audit log may be of the month beside it, if the clocks of servers
   * differ.
   */
  month: string;
  rows: number;
  /** Of the compressed file. */
  bytes: number;
  sha256: string;
  firstId: string;
  lastId: string;
  /** The chain positions of rows of the audit log, else null. */
  firstSequence: number | null;
  lastSequence: number | null;
  writtenAt: string;
  /** Of the platform. */
  version: string;
}

export function pathsOf(dir: string, name: string): { data: string; manifest: string } {
  return { data: join(dir, `${name}.jsonl.gz`), manifest: join(dir, `${name}.json`) };
}

/** The manifests of a directory by series, in the order of their rows. */
export async function readManifests(dir: string): Promise<Manifest[]> {
  const names = (await filesOf(dir)).filter((name) =>
    /^(events-live|events-test|audit)-\d{4}-\d{2}-\d+\.json$/.test(name),
  );
  const manifests = await Promise.all(names.map((name) => readManifest(join(dir, name))));
  return manifests.sort(
    (left, right) =>
      allSeries.indexOf(left.series) - allSeries.indexOf(right.series) ||
      (left.firstSequence ?? 0) - (right.firstSequence ?? 0) ||
      left.month.localeCompare(right.month) ||
      numberOf(left) - numberOf(right),
  );
}

/** The names in a directory, which must exist: one that is made in place of a missing disk would be lost with it. */
export async function filesOf(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    throw new ConfigError(`ARCHIVE_DIR, ${dir}, is no directory that can be read: make it, or mount its disk.`, {
      cause: error,
    });
  }
}

async function readManifest(path: string): Promise<Manifest> {
  try {
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest; // its format is compared
    if (manifest.format === archiveFormat) return manifest;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ConfigError(`${path} is no manifest of an archive, or it is damaged.`);
}

function numberOf({ name }: Manifest): number {
  return Number(/\d+$/.exec(name)?.[0] ?? 0);
}
