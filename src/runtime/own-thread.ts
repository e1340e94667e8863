import { Piscina } from 'piscina';
import { Unavailable } from '../lib/errors.ts';

/** The maximum number of waiting questions. Another one is 503. */
const waitingMax = 100;

/** The thread ends after this time without questions, and starts again with the next one. */
const idleMs = 30_000;

/**
 * Runs the function `answer` of a file in a separate thread, one question at a time, for work that would block the
 * requests of this process. The thread starts with the first question. It has no environment, no secret and no
 * connection to the database. Question and answer are copied. Throws the errors of the function, and `Unavailable` if
 * too many questions wait.
 */
export function ownThread<Work extends (question: never) => unknown>(
  file: URL,
): (question: Parameters<Work>[0]) => Promise<Awaited<ReturnType<Work>>> {
  let pool: Piscina | undefined;
  return async (question): Promise<Awaited<ReturnType<Work>>> => {
    pool ??= openPool(file);
    if (pool.queueSize >= waitingMax) throw new Unavailable('none', { hasKey: false, cause: null });
    return (await pool.run(question)) as Awaited<ReturnType<Work>>; // what the function of the file returns
  };
}

function openPool(file: URL): Piscina {
  const pool = new Piscina({
    filename: file.href,
    name: 'answer',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    // With atomics the thread would block its event loop between questions.
    atomics: 'disabled',
    recordTiming: false,
    execArgv: [],
    env: {},
  });
  // A thread that fails between two questions is replaced at the next question.
  pool.on('error', () => undefined);
  return pool;
}
