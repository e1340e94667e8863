// Runs before `npm start` and `npm test`, with the Node of the machine and before packages are installed: plain
// JavaScript without dependencies. With nothing to do it only compares times of files.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

// npm writes this file last, so after an interrupted installation it is missing or old.
const installed = timeOf('node_modules/.package-lock.json');
if (installed === 0 || installed < timeOf('package-lock.json')) {
  say(
    installed === 0
      ? 'Installing packages (npm ci). The first time this takes about a minute.'
      : 'package-lock.json has changed: installing packages again (npm ci).',
  );
  // Development packages too: the tests and the type check are part of the repository.
  run(process.platform === 'win32' ? 'npm.cmd' : 'npm', [
    'ci',
    '--include=dev',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
  ]);
}

const generated = timeOf('src/generated/prisma/client.ts');
const schemas = readdirSync(join(root, 'prisma', 'schema')).map((name) => timeOf(join('prisma', 'schema', name)));
if (
  generated === 0 ||
  timeOf('src/generated/pothos.ts') === 0 ||
  generated < Math.max(...schemas, timeOf('node_modules/.package-lock.json'))
) {
  say('Generating the database client from prisma/schema.');
  // A client of an interrupted run must not look finished, and Prisma refuses to write into a folder that is not one.
  rmSync(join(root, 'src', 'generated', 'prisma'), { recursive: true, force: true });
  run(join(root, 'node_modules', '.bin', 'prisma'), ['generate', '--no-hints'], true);
}

/** Milliseconds of the last change, 0 when it is not there. */
function timeOf(path) {
  const file = join(root, path);
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

function run(command, args, quiet = false) {
  // Node 24 comes with the packages: what runs below uses it, as npm's scripts do.
  const env = {
    ...process.env,
    PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  const { status, error, stdout } = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', 'inherit'],
  });
  if (status === 0) return;
  if (stdout) process.stderr.write(stdout);
  process.stderr.write(
    `\`${command} ${args.join(' ')}\` failed${error ? `: ${error.message}` : ''}. Nothing was started.\n`,
  );
  process.exit(1);
}

function say(sentence) {
  process.stdout.write(`${sentence}\n`);
}
