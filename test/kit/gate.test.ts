import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createGate } from '../../src/kit/gate.ts';

/** Says of a pool of two what the test wants it to say. */
class ToldPool extends EventEmitter {
  waitingCount = 0;
  idleCount = 0;
}

function gateOf(patience: Partial<Parameters<typeof createGate>[2]> = {}) {
  const pool = new ToldPool();
  const gate = createGate(pool, 2, { patientMs: 5_000, briefMs: 1_000, now: () => performance.now(), ...patience });
  const begun: string[] = [];
  const enter = (name: string) =>
    gate.enter((refusal) =>
      begun.push(refusal ? `${name}: ${refusal.status}, ${refusal.headers['Retry-After']}` : name),
    );
  return { pool, gate, begun, enter };
}

test('a call begins at once while fewer than two a connection wait for one; those after it wait, and begin in their order', async () => {
  const { pool, gate, begun, enter } = gateOf();
  pool.waitingCount = 3;
  enter('first');
  expect(begun).toEqual(['first']);
  pool.waitingCount = 4;
  for (const name of ['second', 'third', 'fourth']) enter(name);
  expect([gate.inWork, gate.waiting]).toEqual([1, 3]);
  pool.emit('release');
  await turn();
  expect(begun).toEqual(['first']);
  // Room is counted once: whoever begins may come to the pool only later.
  pool.waitingCount = 2;
  pool.emit('release');
  await turn();
  expect(begun).toEqual(['first', 'second', 'third']);
  // There is room, and somebody who came before.
  pool.waitingCount = 0;
  enter('fifth');
  expect(gate.waiting).toBe(2);
  pool.emit('release');
  await turn();
  expect(begun).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
});

test('connections that are about to be taken do not count as missing', () => {
  const { pool, begun, enter } = gateOf();
  Object.assign(pool, { waitingCount: 5, idleCount: 2 });
  enter('first');
  expect(begun).toEqual(['first']);
});

test('calls that hold no connection keep nobody out, up to a hundred a connection', async () => {
  const { gate, begun, enter } = gateOf();
  const leaves = Array.from({ length: 201 }, (_, n) => enter(String(n)));
  expect([gate.inWork, gate.waiting, begun.length]).toEqual([200, 1, 200]);
  leaves[7]?.();
  await turn();
  expect([gate.inWork, gate.waiting, begun.at(-1)]).toEqual([200, 0, '200']);
  for (const [n, leave] of leaves.entries()) if (n !== 7) leave();
  expect(gate.inWork).toBe(0);
});

test('a sender who is gone gives up the place, and nothing is begun for them', async () => {
  const { pool, gate, begun, enter } = gateOf();
  pool.waitingCount = 4;
  const leave = enter('gone');
  enter('second');
  leave();
  pool.waitingCount = 3;
  pool.emit('release');
  await turn();
  expect(begun).toEqual(['second']);
  expect([gate.inWork, gate.waiting]).toEqual([1, 0]);
});

test('429 after the time one waits in a burst; where the queue does not empty, after less; none waits behind two hundred', async () => {
  const { pool, gate, begun, enter } = gateOf({ patientMs: 60, briefMs: 0 });
  pool.waitingCount = 4;
  const leave = enter('first');
  await vi.waitUntil(() => gate.waiting === 0);
  expect(begun).toEqual(['first: 429, 2']);
  // Refused, it is over for the gate.
  leave();
  expect(gate.inWork).toBe(0);

  const crowded = gateOf({ patientMs: 1, briefMs: 0 });
  crowded.pool.waitingCount = 4;
  for (let n = 0; n < 200; n++) crowded.enter(String(n));
  crowded.enter('one too many');
  expect(crowded.begun).toEqual(['one too many: 429, 2']);
  await vi.waitUntil(() => crowded.gate.waiting === 0);
  expect(crowded.begun.length).toBe(201);
});

test('a queue that has stood for longer than a burst lasts has its newcomers wait briefly', async () => {
  let at = 1_000;
  const { pool, gate, begun, enter } = gateOf({ patientMs: 60_000, briefMs: 0, now: () => at });
  pool.waitingCount = 4;
  const leave = enter('first');
  at += 60_000;
  const leaveSecond = enter('second');
  at += 1;
  enter('newcomer');
  await vi.waitUntil(() => begun.length > 0);
  expect(begun).toEqual(['newcomer: 429, 2']);
  leave();
  leaveSecond();
  expect(gate.waiting).toBe(0);
  // It was empty: whoever comes now may come in a burst.
  const leaveThird = enter('third');
  await turn();
  expect(gate.waiting).toBe(1);
  leaveThird();
});
