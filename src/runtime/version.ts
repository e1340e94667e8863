import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in package.json, for logs and the API description. */
export function platformVersion(): string {
  const file = join(import.meta.dirname, '..', '..', 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }; // our own file
  return version;
}
