import type { Queryable } from '../sql.ts';
import { readManifests } from './manifest.ts';
import { filesInDatabase } from './plan.ts';
import { fileProblem } from './verify-file.ts';

export interface ArchiveVerdict {
  files: number;
  rows: number;
  /** A sentence each. */
  problems: string[];
}

/**
 * Reads every file of a directory, compares it with its manifest, and the manifests with what the database knows. The
 * chain of the audit log over archive and database is verified with the log itself.
 */
export async function verifyArchive(database: Queryable, dir: string): Promise<ArchiveVerdict> {
  const manifests = await readManifests(dir);
  const problems: string[] = [];
  for (const manifest of manifests) {
    const problem = await fileProblem(dir, manifest);
    if (problem !== null) problems.push(`${manifest.name}: ${problem}.`);
  }
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]));
  for (const { name, status, sha256 } of await filesInDatabase(database)) {
    const manifest = byName.get(name);
    byName.delete(name);
    if (status === 'planned') continue;
    if (!manifest) problems.push(`${name}: it is missing, and its rows were removed from the database.`);
    else if (manifest.sha256 !== sha256) problems.push(`${name}: it is not the file that the database recorded.`);
  }
  for (const name of byName.keys()) problems.push(`${name}: the database does not know it.`);
  return { files: manifests.length, rows: manifests.reduce((sum, { rows }) => sum + rows, 0), problems };
}
