/**
 * Bundles GraphiQL and what it needs as one module and one style sheet, which the platform serves. To replace them,
 * change the versions in package.json and run `npm install && npm run build` in this folder.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';

const { metafile } = await build({
  entryPoints: { graphiql: 'entry.js' },
  outdir: '.',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  metafile: true,
  legalComments: 'none',
  loader: { '.woff': 'dataurl', '.woff2': 'dataurl' },
  define: { 'process.env.NODE_ENV': '"production"' },
});

// The fonts are two thirds of what a browser would load; without them the style sheet falls back to those of the system.
const style = readFileSync('graphiql.css', 'utf8');
store('graphiql.css', style.replaceAll(/@font-face\{[^}]*\}/g, ''));
store('graphiql.js', readFileSync('graphiql.js'));

const folders = new Set(
  Object.keys(metafile.inputs).flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
);
const notices = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync('LICENSES.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));

/** Stores a file as it is sent: compressed by Brotli. */
function store(file, content) {
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  rmSync(file);
}
