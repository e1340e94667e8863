import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAdmissionControl } from '../../../src/limits/admission.ts';

/** Reports the pool state that the test sets, for a pool of two. */
class StubPool extends EventEmitter {
  waitingCount = 0;
  idleCount = 0;
}

function admissionControlOf(queueTimeouts: Partial<Parameters<typeof createAdmissionControl>[3]> = {}) {
  const pool = new StubPool();
  const admissionControl = createAdmissionControl(pool, 2, () => 0, {
    queueTimeoutMs: 5_000,
    busyQueueTimeoutMs: 1_000,
    now: () => performance.now(),
    ...queueTimeouts,
  });
  const begun: string[] = [];
  const enter = (name: string) =>
    admissionControl.enter((refusal) =>
      begun.push(refusal ? `${name}: ${refusal.status}, ${refusal.headers['Retry-After']}` : name),
    );
  return { pool, admissionControl, begun, enter };
}

test('a call starts at once while fewer than two a connection wait; later calls start in their order', async () => {
  const { pool, admissionControl, begun, enter } = admissionControlOf();
  pool.waitingCount = 3;
  enter('first');
  expect(begun).toEqual(['first']);
  pool.waitingCount = 4;
  for (const name of ['second', 'third', 'fourth']) enter(name);
  expect([admissionControl.inWork, admissionControl.waiting]).toEqual([1, 3]);
  pool.emit('release');
  await turn();
  expect(begun).toEqual(['first']);
  // Capacity is counted once: a started call may reach the pool only later.
  pool.waitingCount = 2;
  pool.emit('release');
  await turn();
  expect(begun).toEqual(['first', 'second', 'third']);
  // There is capacity, but an earlier call is in the queue.
  pool.waitingCount = 0;
  enter('fifth');
  expect(admissionControl.waiting).toBe(2);
  pool.emit('release');
  await turn();
  expect(begun).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
});

test('connections that are about to be taken do not count as missing', () => {
  const { pool, begun, enter } = admissionControlOf();
  Object.assign(pool, { waitingCount: 5, idleCount: 2 });
  enter('first');
  expect(begun).toEqual(['first']);
});

test('calls that hold no connection block none, up to a hundred a connection', async () => {
  const { admissionControl, begun, enter } = admissionControlOf();
  const leaves = Array.from({ length: 201 }, (_, n) => enter(String(n)));
  expect([admissionControl.inWork, admissionControl.waiting, begun.length]).toEqual([200, 1, 200]);
  leaves[7]?.();
  await turn();
  expect([admissionControl.inWork, admissionControl.waiting, begun.at(-1)]).toEqual([200, 0, '200']);
  for (const [n, leave] of leaves.entries()) if (n !== 7) leave();
  expect(admissionControl.inWork).toBe(0);
});

test('a client that disconnected leaves the queue, and its call is not started', async () => {
  const { pool, admissionControl, begun, enter } = admissionControlOf();
  pool.waitingCount = 4;
  const leave = enter('gone');
  enter('second');
  leave();
  pool.waitingCount = 3;
  pool.emit('release');
  await turn();
  expect(begun).toEqual(['second']);
  expect([admissionControl.inWork, admissionControl.waiting]).toEqual([1, 0]);
});

test('503 after the longest wait of a burst, earlier while the queue does not empty; at most 200 wait', async () => {
  const { pool, admissionControl, begun, enter } = admissionControlOf({ queueTimeoutMs: 60, busyQueueTimeoutMs: 0 });
  pool.waitingCount = 4;
  const leave = enter('first');
  await expect.poll(() => admissionControl.waiting).toBe(0);
  expect(begun).toEqual(['first: 503, 2']);
  // After the 503, leaving has no effect.
  leave();
  expect(admissionControl.inWork).toBe(0);

  const crowded = admissionControlOf({ queueTimeoutMs: 1, busyQueueTimeoutMs: 0 });
  crowded.pool.waitingCount = 4;
  for (let n = 0; n < 200; n++) crowded.enter(String(n));
  crowded.enter('one too many');
  expect(crowded.begun).toEqual(['one too many: 503, 2']);
  await expect.poll(() => crowded.admissionControl.waiting).toBe(0);
  expect(crowded.begun.length).toBe(201);
});

test('in a queue older than a burst newcomers wait briefly', async () => {
  let at = 1_000;
  const { pool, admissionControl, begun, enter } = admissionControlOf({
    queueTimeoutMs: 60_000,
    busyQueueTimeoutMs: 0,
    now: () => at,
  });
  pool.waitingCount = 4;
  const leave = enter('first');
  at += 60_000;
  const leaveSecond = enter('second');
  at += 1;
  enter('newcomer');
  await expect.poll(() => begun).not.toEqual([]);
  expect(begun).toEqual(['newcomer: 503, 2']);
  leave();
  leaveSecond();
  expect(admissionControl.waiting).toBe(0);
  // The queue was empty: the next call may wait as long as in a burst.
  const leaveThird = enter('third');
  await turn();
  expect(admissionControl.waiting).toBe(1);
  leaveThird();
});
