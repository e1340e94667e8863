import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { scalar } from './scalar.ts';

// node rest/vendor/refresh.ts [version]: takes the browser bundle of the API reference from its npm package, whose 250
// dependencies the bundle contains already and the server never loads. Without a version, the recorded one.
const version = process.argv[2] ?? scalar.version;
const folder = mkdtempSync(join(tmpdir(), 'vendor-'));
try {
  // npm compares what it gets with the registry's integrity hash.
  execFileSync('npm', ['pack', `${scalar.package}@${version}`, '--silent', '--pack-destination', folder]);
  execFileSync('sh', ['-c', 'tar -xzf *.tgz'], { cwd: folder });
  const bundle = readFileSync(join(folder, 'package', scalar.file));
  const { license } = JSON.parse(readFileSync(join(folder, 'package', 'package.json'), 'utf8')) as { license: string };
  const compressed = brotliCompressSync(bundle, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  const record = {
    package: scalar.package,
    version,
    license,
    file: scalar.file,
    sha256: createHash('sha256').update(bundle).digest('hex'),
  };
  writeFileSync(join(import.meta.dirname, 'scalar.js.br'), compressed);
  writeFileSync(join(import.meta.dirname, 'scalar.json'), `${JSON.stringify(record, null, 2)}\n`);
  process.stdout.write(`${record.package} ${version}: ${bundle.length} bytes, ${compressed.length} compressed.\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
