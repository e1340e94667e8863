import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeNew } from '../../settings/whole-file.ts';

/** A file of a secret, in a directory that only its owner can read. */
function secretFile(directory: string, name: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return join(directory, name);
}

export function hasSecret(directory: string, name: string): boolean {
  return existsSync(join(directory, name));
}

/** If another process has created the file meanwhile, it is an error. */
export function writeSecret(directory: string, name: string, content: string): void {
  writeNew(secretFile(directory, name), `${content}\n`);
}
