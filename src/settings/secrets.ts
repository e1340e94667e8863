import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config.ts';
import type { Environment } from './rules.ts';
import { settingInfo } from './setting-kinds.ts';
import { settings } from './settings.ts';

/** Secrets that are generated and stored at the first start. Without them the stored cards cannot be decrypted. */
export interface LocalSecrets {
  vaultKeys: string;
  fingerprintKey: string;
  databasePassword: string;
  /** The secret with which the embedded identity provider signs its cookies and messages. */
  idpSecret: string;
}

export function localSecrets(platformDir: string): LocalSecrets {
  const file = join(platformDir, 'secrets.json');
  const known = readSecrets(file);
  if (known) return known.idpSecret ? (known as LocalSecrets) : completeSecrets(file, known);
  if (existsSync(join(platformDir, 'postgres', 'PG_VERSION')))
    throw new ConfigError(
      `${file} is missing, and the database in ${join(platformDir, 'postgres')} was made with the keys in it. Put a ` +
        'copy of the file back; or, to begin with an empty database, move that folder away.',
    );
  mkdirSync(platformDir, { recursive: true });
  const made: LocalSecrets = {
    vaultKeys: `local1:${newKey()}`,
    fingerprintKey: newKey(),
    databasePassword: randomBytes(24).toString('base64url'),
    idpSecret: newKey(),
  };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  try {
    // The complete file is linked, so that a crash or a concurrent start leaves either the complete file or none.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // node:fs throws nothing else
  } finally {
    rmSync(draft);
  }
  return (readSecrets(file) as LocalSecrets | undefined) ?? made; // linked into place whole, by this code
}

/** Adds the secrets that a file of an earlier version lacks. */
function completeSecrets(file: string, known: Partial<LocalSecrets>): LocalSecrets {
  const whole = { ...known, idpSecret: newKey() } as LocalSecrets; // all earlier versions wrote the rest
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(whole, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return whole;
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

function newKey(): string {
  return randomBytes(32).toString('base64');
}

/** The settings whose value may be in a file that `<NAME>_FILE` names, so that the environment does not contain it. */
export const secretSettings: readonly string[] = Object.entries(settings.shape)
  .filter(([, schema]) => settingInfo.get(schema)?.isSecret)
  .map(([name]) => name);

/** The environment with the contents of those files. */
export function readSecretFiles(env: Environment): { env: Environment; wrong: string[]; problems: string[] } {
  const problems: string[] = [];
  const wrong: string[] = [];
  const read = { ...env };
  for (const name of secretSettings) {
    const path = env[`${name}_FILE`];
    if (path === undefined) continue;
    const problem = env[name] === undefined ? undefined : `${name} and ${name}_FILE are both set; set one of them.`;
    const given = problem ?? readValue(path);
    if (typeof given === 'object') read[name] = given.value;
    else {
      wrong.push(name);
      problems.push(problem ?? `${name}_FILE is ${JSON.stringify(path)}; ${given}.`);
    }
  }
  return { env: read, wrong, problems };
}

/** The content of a file, or what is wrong with it. */
function readValue(path: string): { value: string } | string {
  try {
    const value = readFileSync(path, 'utf8').trim();
    return value === '' ? 'that file is empty' : { value };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws nothing else
    return `it must be a file that the platform can read (${code})`;
  }
}
