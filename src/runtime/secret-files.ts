import { readFileSync } from 'node:fs';
import { settingInfo } from './setting-info.ts';
import type { Environment } from './setting-problems.ts';
import { settings } from './settings.ts';

/** The settings whose value may be in a file that `<NAME>_FILE` names, so that it is in no environment. */
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
