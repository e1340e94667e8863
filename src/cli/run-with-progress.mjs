// Runs the commands of install.mjs, with progress, and ends them at a signal. Plain JavaScript without dependencies, in
// the syntax of Node 20.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const running = new Set();
let isStopped = false;
const isJsonOnly = process.env.LOG_FORMAT === 'json';

/** Prints the progress every few seconds. */
export async function withProgress(begins, state, ended, work) {
  say(begins);
  const startedAt = Date.now();
  const afterSeconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  const timer = setInterval(() => say(`  ${state()} after ${afterSeconds()}.`), 4_000);
  await work();
  clearInterval(timer);
  say(`${ended} after ${afterSeconds()}.`);
}

/** Shows the output of a command only if it fails. */
export function run(command, args, cwd = root) {
  const env = {
    ...process.env,
    PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  // In its own process group, so that a signal ends it with all processes that it has started.
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', isJsonOnly ? 'pipe' : 'inherit'],
    detached: true,
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    const failed = (reason) => {
      if (isStopped) return;
      if (output !== '') write(process.stderr, 'error', output.trimEnd());
      fail(`\`${command} ${args.join(' ')}\` failed${reason}. Nothing was started.`);
    };
    child.once('error', (error) => failed(`: ${error.message}`));
    child.once('close', (status) => {
      running.delete(child);
      if (status === 0) resolve();
      else failed('');
    });
  });
}

/** npm forwards SIGTERM and SIGINT, but not SIGHUP, and nothing when it is killed: then its end is the signal. */
export function stopOnSignals() {
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && stop('the end of npm'), 500).unref();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(signal));
  // A terminal that was closed cannot be written to any more.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  function stop(reason) {
    if (isStopped) return;
    isStopped = true;
    clearInterval(watch);
    say(`The installation was interrupted by ${reason}. The next start completes it.`);
    for (const { pid } of running) if (pid !== undefined) end(pid);
    process.exit(1);
  }
}

/** Incomplete files are written again by the next start. */
function end(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

export function fail(sentence) {
  write(process.stderr, 'fatal', sentence);
  process.exit(1);
}

export function say(sentence) {
  write(process.stdout, 'info', sentence);
}

/** As the server writes its sentences. */
function write(stream, level, sentence) {
  const line = isJsonOnly ? JSON.stringify({ level, time: new Date().toISOString(), msg: sentence.trim() }) : sentence;
  stream.write(`${line}\n`);
}
