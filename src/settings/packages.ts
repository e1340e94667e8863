import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config.ts';

/**
 * Imports a module that needs an optional package. `sentence` says what needs it, and what to do; `npm ci` installs all
 * of them.
 */
export async function importOptional<Module>(load: () => Promise<Module>, sentence: string): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ConfigError(sentence, { cause: error });
  }
}

/** The version in package.json, for logs and the API description. */
export function platformVersion(): string {
  const file = join(import.meta.dirname, '..', '..', 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }; // our own file
  return version;
}
