import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksOf, fullNameOf } from '../keys/checks.ts';
import type { Config } from '../settings/config.ts';
import { platformVersion } from '../settings/packages.ts';

/** What the line of a start says: what runs, where, and with which keys, which are named and not shown. */
export function startFacts(config: Config, databaseUrl: string): Record<string, unknown> {
  return {
    version: platformVersion(),
    commit: config.commit ?? commitOf(join(import.meta.dirname, '..', '..', '.git')),
    url: config.publicUrl,
    databaseRole: decodeURIComponent(new URL(databaseUrl).username),
    databasePoolSize: config.databasePoolSize,
    workers: config.workers,
    keys: checksOf(config).map(fullNameOf),
  };
}

/** Null in an installation without git. */
function commitOf(gitDir: string): string | null {
  if (!existsSync(gitDir)) return null;
  try {
    return execFileSync('git', ['--git-dir', gitDir, 'rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 1_000,
    }).trim();
  } catch {
    return null; // there is no git, or the folder belongs to another user
  }
}
