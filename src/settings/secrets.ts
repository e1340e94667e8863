import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config.ts';
import type { Environment } from './rules.ts';
import { settingInfo } from './settings.ts';
import { writeNew, writeWhole } from './whole-file.ts';

/** Secrets that are generated and stored at the first start. Without them the stored cards cannot be decrypted. */
export type LocalSecrets = ReturnType<typeof newSecrets>;

function newSecrets() {
  const newKey = (): string => randomBytes(32).toString('base64');
  return {
    vaultKeys: `local1:${newKey()}`,
    fingerprintKey: newKey(),
    databasePassword: randomBytes(24).toString('base64url'),
    /** The secret with which the embedded identity provider signs its cookies and messages. */
    idpSecret: newKey(),
  };
}

/** The secrets of a directory. A file of an earlier version gets those that it lacks. */
export function localSecrets(platformDir: string): LocalSecrets {
  const file = join(platformDir, 'secrets.json');
  const known = readSecrets(file);
  if (known?.idpSecret) return known as LocalSecrets; // the last that was added
  if (!known && existsSync(join(platformDir, 'postgres', 'PG_VERSION')))
    throw new ConfigError(
      `${file} is missing, and the database in ${join(platformDir, 'postgres')} was made with the keys in it. Put a ` +
        'copy of the file back; or, to begin with an empty database, move that folder away.',
    );
  mkdirSync(platformDir, { recursive: true });
  const made = { ...newSecrets(), ...known };
  const text = `${JSON.stringify(made, null, 2)}\n`;
  if (known) {
    writeWhole(file, text);
    return made;
  }
  try {
    writeNew(file, text);
  } catch (error) {
    // A concurrent start was first. node:fs throws nothing else.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return { ...made, ...readSecrets(file) };
}

function readSecrets(file: string): Partial<LocalSecrets> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text) as Partial<LocalSecrets>; // written by the functions above
  } catch {
    throw new ConfigError(
      `${file} holds this server's keys and is not readable as JSON; put a copy of it back, since without them ` +
        'the stored cards are lost.',
    );
  }
}

/** The settings whose value may be in a file that `<NAME>_FILE` names, so that the environment does not contain it. */
export const secretSettings: readonly string[] = Object.keys(settingInfo).filter((name) => settingInfo[name]?.secret);

/** The environment with the contents of those files, and the messages by the setting that is wrong. */
export function readSecretFiles(given: Environment): { env: Environment; problems: Map<string, string> } {
  const problems = new Map<string, string>();
  const env = { ...given };
  for (const name of secretSettings) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      problems.set(name, `${name} and ${name}_FILE are both set; set one of them.`);
      continue;
    }
    try {
      env[name] = readFileSync(path, 'utf8').trim() || undefined;
      if (!env[name]) problems.set(name, `${name}_FILE is ${JSON.stringify(path)}; that file is empty.`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // node:fs throws nothing else
      const wrong = `it must be a file that the platform can read (${code})`;
      problems.set(name, `${name}_FILE is ${JSON.stringify(path)}; ${wrong}.`);
    }
  }
  return { env, problems };
}
