// Runs before the commands of package.json, with the Node of the machine and before packages are installed: plain
// JavaScript without dependencies, in the syntax of Node 20. With nothing to do it only looks at files. A command for
// development passes --dev; `npm start` and the others do without the packages that only development needs.
import { spawn } from 'node:child_process';
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

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
/** What all scripts run with: npm puts this folder at the front of their PATH. */
const linkedNode = join(root, 'node_modules', '.bin', 'node');

await installPackages();
await linkNode();
await generateClient();

async function installPackages() {
  // A folder that is linked is looked after elsewhere, and `npm ci` would empty it for all who use it.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  // npm writes this file last, so after an interrupted installation it is missing or old.
  const installed = timeOf('node_modules/.package-lock.json');
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const missing = Object.keys(devDependencies).filter((name) => timeOf(join('node_modules', name)) === 0);
  const isDevAsked = process.argv.includes('--dev');
  const kind = isDevAsked || (installed > 0 && missing.length === 0) ? '--include=dev' : '--omit=dev';
  if (installed === 0 || installed < timeOf('package-lock.json'))
    await withProgress(
      installed === 0 ? 'Installing' : 'package-lock.json has changed: installing again',
      ['ci', kind, ...quiet],
      packageCount(isDevAsked),
    );
  else if (isDevAsked && missing.length > 0)
    // Not `npm ci`, which would take the packages away from a platform that is running.
    await withProgress('Adding those for development to', ['install', '--no-save', kind, ...quiet], packageCount(true));
}

/** Where the Node of the machine is too old, the one that is locked in src/cli/node, in a folder that `npm ci` keeps. */
async function linkNode() {
  if (process.platform === 'win32' || existsSync(linkedNode)) return;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  let node = process.execPath;
  if (major < 24 || (major === 24 && minor < 2)) {
    const folder = join(root, '.node');
    node = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
    if (!existsSync(node)) {
      say(`The platform needs Node 24, and this machine has ${process.version}: installing Node 24 in .node.`);
      mkdirSync(folder, { recursive: true });
      for (const name of ['package.json', 'package-lock.json'])
        copyFileSync(join(root, 'src', 'cli', 'node', name), join(folder, name));
      await run(npm, ['ci', '--ignore-scripts', ...quiet], { cwd: folder });
    }
    if (!existsSync(node))
      fail(`There is no Node 24 for ${process.platform} on ${process.arch} here; install one from https://nodejs.org.`);
  }
  // A link to a Node that is gone exists, too.
  rmSync(linkedNode, { force: true });
  symlinkSync(node, linkedNode);
}

/** With the Prisma CLI, where it is installed, the client gets its types. */
async function generateClient() {
  const cli = join(root, 'node_modules', '.bin', 'prisma');
  const hasCli = existsSync(cli);
  const schemas = readdirSync(join(root, 'prisma', 'schema')).map((name) => timeOf(join('prisma', 'schema', name)));
  const generated = Math.min(timeOf('src/generated/prisma/client.ts'), timeOf('src/generated/pothos.ts'));
  const isTyped = timeOf('src/generated/prisma/models') > 0;
  if (generated >= Math.max(1, ...schemas, timeOf('node_modules/.package-lock.json')) && (isTyped || !hasCli)) return;
  say('Generating the database client from prisma/schema.');
  // A client of an interrupted run must not look finished, and Prisma refuses to write into a folder that is not one.
  rmSync(join(root, 'src', 'generated', 'prisma'), { recursive: true, force: true });
  if (hasCli) await run(cli, ['generate', '--no-hints'], { isQuiet: true });
  else await run(linkedNode, [join(root, 'src', 'cli', 'generate-client.mjs')]);
}

async function withProgress(what, args, total) {
  say(`${what} ${total} packages (npm ${args[0]}).`);
  const startedAt = Date.now();
  const timer = setInterval(() => say(`  ${Math.min(total, presentCount())} of ${total} packages`), 5_000);
  await run(npm, args);
  clearInterval(timer);
  say(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/** The packages that the lock file has for this machine. */
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

/** Milliseconds of the last change, 0 when it is not there. */
function timeOf(path) {
  const file = join(root, path);
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

function run(command, args, { cwd = root, isQuiet = false } = {}) {
  const env = {
    ...process.env,
    PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', 'inherit'] });
  let output = '';
  child.stdout?.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    const failed = (reason) => {
      process.stderr.write(output);
      fail(`\`${command} ${args.join(' ')}\` failed${reason}. Nothing was started.`);
    };
    child.once('error', (error) => failed(`: ${error.message}`));
    child.once('close', (status) => (status === 0 ? resolve() : failed('')));
  });
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function say(sentence) {
  process.stdout.write(`${sentence}\n`);
}
