import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface VendoredFile {
  package: string;
  version: string;
  license: string;
  /** Its path in the package. */
  file: string;
  /** Of the file as it is in the package. */
  sha256: string;
}

/** The browser bundle of the API reference. `node rest/vendor/refresh.ts <version>` replaces it. */
export const scalar = JSON.parse(
  readFileSync(join(import.meta.dirname, 'scalar.json'), 'utf8'),
) as Readonly<VendoredFile>; // written by refresh.ts only

/** The file of the bundle, compressed by Brotli. */
export const scalarFile = join(import.meta.dirname, 'scalar.js.br');
