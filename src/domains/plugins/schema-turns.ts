import { RateLimited } from '../../kit/errors.ts';
import { type SchemaThread, schemaThread } from './schema-thread.ts';

const threadsMax = 2;
const idle = Array.from({ length: threadsMax }, () => schemaThread());
/** Owners that have a thread now. */
const served = new Set<string>();
/** Waiting calls by owner. The owner served the longest ago comes first. */
const waiting = new Map<string, (() => void)[]>();

/**
 * Runs `work` with a thread of its own. A turn is taken before a database transaction begins, never inside one: a call
 * that waits must not keep a connection. An owner has one turn at a time, so its slow schemas never occupy both
 * threads. An owner with `waitingMax` waiting calls gets 429; other owners do not.
 */
export async function withSchemaThread<Result>(
  owner: string,
  waitingMax: number,
  work: (thread: SchemaThread) => Promise<Result>,
): Promise<Result> {
  const thread = await nextTurn(owner, waitingMax);
  try {
    return await work(thread);
  } finally {
    idle.push(thread);
    served.delete(owner);
    moveToEnd(owner);
    startNextTurn();
  }
}

function nextTurn(owner: string, waitingMax: number): Promise<SchemaThread> {
  const before = waiting.get(owner) ?? [];
  if (before.length >= waitingMax) throw new RateLimited(1);
  return new Promise((resolve) => {
    const begin = (): void => {
      const thread = idle.pop();
      if (!thread) throw new Error('A turn begins when a thread is idle.');
      resolve(thread);
    };
    waiting.set(owner, [...before, begin]);
    startNextTurn();
  });
}

function startNextTurn(): void {
  if (idle.length === 0) return;
  for (const [owner, turns] of waiting) {
    const [begin, ...rest] = turns;
    if (!begin || served.has(owner)) continue;
    if (rest.length > 0) waiting.set(owner, rest);
    else waiting.delete(owner);
    served.add(owner);
    return begin();
  }
}

function moveToEnd(owner: string): void {
  const turns = waiting.get(owner);
  waiting.delete(owner);
  if (turns) waiting.set(owner, turns);
}
