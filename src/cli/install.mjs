// Runs before the commands of package.json, with the machine's Node and before packages are installed: plain JavaScript
// without dependencies, in the syntax of Node 20. If nothing is to be done, it only checks files. A command for
// development passes --dev; `npm start` and the others need no development packages.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, run, say, stopOnSignals, withProgress } from './run-with-progress.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
/** The Node that runs all scripts: npm puts this folder first in their PATH. */
const linkedNode = join(root, 'node_modules', '.bin', 'node');
const ownNode = join(root, '.node', 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

stopOnSignals();

// Both wait for the network most of the time.
await Promise.all([installPackages(), installNode()]);
linkNode();
await generateClient();

async function installPackages() {
  // A linked folder is maintained elsewhere, and `npm ci` would empty it for all who use it.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  // npm writes this file last, so after an interrupted installation it is missing or old.
  const installed = timeOf('node_modules/.package-lock.json');
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const missing = Object.keys(devDependencies).filter((name) => timeOf(join('node_modules', name)) === 0);
  const isDevRequested = process.argv.includes('--dev');
  const kind = isDevRequested || (installed > 0 && missing.length === 0) ? '--include=dev' : '--omit=dev';
  if (installed === 0 || installed < timeOf('package-lock.json'))
    await install(
      installed === 0 ? 'Installing' : 'package-lock.json has changed: installing again',
      ['ci', kind, ...quiet],
      packageCount(isDevRequested),
    );
  else if (isDevRequested && missing.length > 0)
    // Not `npm ci`, which would remove the packages of a running platform.
    await install('Adding those for development to', ['install', '--no-save', kind, ...quiet], packageCount(true));
}

/**
 * If the machine's Node is too old, installs the version that is locked in src/cli/node, in a folder that `npm ci`
 * keeps.
 */
async function installNode() {
  if (process.platform === 'win32' || !isNodeTooOld()) return;
  // npm writes this file last, as in node_modules.
  if (existsSync(ownNode) && timeOf('.node/node_modules/.package-lock.json') > 0) return;
  const why = `The platform needs Node 24, and this machine has ${process.version}`;
  const folder = join(root, '.node');
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(root, 'src', 'cli', 'node', name), join(folder, name));
  await withProgress(
    `${why}: installing Node 24 in .node.`,
    () => 'Node 24 is being installed',
    'Node 24 is installed',
    () => run(npm, ['ci', '--ignore-scripts', ...quiet], folder),
  );
  if (!existsSync(ownNode))
    fail(`There is no Node 24 for ${process.platform} on ${process.arch} here; install one from https://nodejs.org.`);
  // A third of its size: headers for compiling add-ons, of which there are none here.
  rmSync(join(dirname(dirname(ownNode)), 'include'), { recursive: true, force: true });
}

function linkNode() {
  if (process.platform === 'win32' || existsSync(linkedNode)) return;
  // A link to a Node that was deleted exists too.
  rmSync(linkedNode, { force: true });
  symlinkSync(isNodeTooOld() ? ownNode : process.execPath, linkedNode);
}

function isNodeTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 24 || (major === 24 && minor < 2);
}

/** With the Prisma CLI, if it is installed, the client gets its types. */
async function generateClient() {
  const cli = join(root, 'node_modules', '.bin', 'prisma');
  const hasCli = existsSync(cli);
  const schemas = readdirSync(join(root, 'prisma', 'schema')).map((name) => timeOf(join('prisma', 'schema', name)));
  const generated = Math.min(timeOf('src/generated/prisma/client.ts'), timeOf('src/generated/pothos.ts'));
  const isTyped = timeOf('src/generated/prisma/models') > 0;
  if (generated >= Math.max(1, ...schemas, timeOf('node_modules/.package-lock.json')) && (isTyped || !hasCli)) return;
  say('Generating the database client from prisma/schema.');
  // The client of an interrupted run must not look complete, and Prisma does not write into a folder that contains no
  // client.
  rmSync(join(root, 'src', 'generated', 'prisma'), { recursive: true, force: true });
  if (hasCli) await run(cli, ['generate', '--no-hints']);
  else await run(linkedNode, [join(root, 'src', 'cli', 'generate-client.mjs')]);
}

function install(what, args, total) {
  return withProgress(
    `${what} ${total} packages (npm ${args[0]}).`,
    () => `${Math.min(total, presentCount())} of ${total} packages are there`,
    `${total} packages are installed`,
    () => run(npm, args),
  );
}

/** The number of packages in the lock file for this machine. */
function packageCount(withDev) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const fits = (list, own) => list === undefined || [list].flat().includes(own);
  return Object.entries(packages).filter(
    ([path, { dev, os, cpu, link }]) =>
      path.includes('node_modules/') &&
      !link &&
      (withDev || !dev) &&
      fits(os, process.platform) &&
      fits(cpu, process.arch),
  ).length;
}

function presentCount() {
  const names = (folder) => (existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []);
  const modules = join(root, 'node_modules');
  return names(modules).reduce((sum, name) => sum + (name.startsWith('@') ? names(join(modules, name)).length : 1), 0);
}

/** Milliseconds of the last change, 0 if the file does not exist. */
function timeOf(path) {
  const file = join(root, path);
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}
