import { ConfigError } from './config.ts';

/**
 * Imports what needs an optional package. `sentence` says what lacks it, and what to do; `npm ci` installs them all.
 */
export async function importOptional<Module>(load: () => Promise<Module>, sentence: string): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ConfigError(sentence, { cause: error });
  }
}
