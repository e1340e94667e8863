import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of a secret, in a directory that only its owner can read. */
export function secretFile(directory: string, name: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return join(directory, name);
}

export function hasSecret(directory: string, name: string): boolean {
  return existsSync(join(directory, name));
}

/**
 * A crash leaves either the complete file or none. If another process has created the file meanwhile, it is an error.
 */
export function writeSecret(directory: string, name: string, content: string): void {
  const file = secretFile(directory, name);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${content}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } finally {
    rmSync(draft);
  }
}
