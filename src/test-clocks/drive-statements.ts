import type pg from 'pg';

/** A clock this process drives, as it knows it. */
export interface Drive {
  testClockId: string;
  /** This drive's own word: whoever takes the clock over writes another. */
  drivenBy: string;
  now: Date;
  target: Date;
}

/** Renewed long before it is over; what a process that died was driving is free again after it. */
const leaseMs = 15_000;
const mine = `id = $1 AND "drivenBy" = $2 AND status = 'advancing'`;

/** Takes an advancing clock that nobody drives. Null when there is none, or another was quicker. All times but those of the clock are real. */
export async function takeClock(
  pool: pg.Pool,
  { testClockId, drivenBy }: Pick<Drive, 'testClockId' | 'drivenBy'>,
  real: Date,
): Promise<Drive | null> {
  const text = `UPDATE test_clocks SET "drivenBy" = $2, "leasedUntil" = $3 WHERE id = $1 AND status = 'advancing' AND ("leasedUntil" IS NULL OR "leasedUntil" <= $4) RETURNING now, target`;
  const { rows } = await pool.query<Pick<Drive, 'now' | 'target'>>({
    name: 'take-test-clock',
    text,
    values: [testClockId, drivenBy, leaseFrom(real), real],
  });
  return rows[0] ? { testClockId, drivenBy, ...rows[0] } : null;
}

export async function renewLease(pool: pg.Pool, drive: Drive, real: Date): Promise<void> {
  await pool.query({
    name: 'renew-test-clock',
    text: `UPDATE test_clocks SET "leasedUntil" = $3 WHERE ${mine}`,
    values: [drive.testClockId, drive.drivenBy, leaseFrom(real)],
  });
}

/** Moves the clock on before what is due then is done. False when another drives it by now. */
export async function reachMoment(pool: pg.Pool, drive: Drive, moment: Date, real: Date): Promise<boolean> {
  const text = `UPDATE test_clocks SET now = $3, "stepsDone" = "stepsDone" + 1, "leasedUntil" = $4, "updatedAt" = $5 WHERE ${mine}`;
  const { rowCount } = await pool.query({
    name: 'move-test-clock',
    text,
    values: [drive.testClockId, drive.drivenBy, moment, leaseFrom(real), real],
  });
  return rowCount === 1;
}

export async function finishAdvance(pool: pg.Pool, drive: Drive, real: Date): Promise<void> {
  const text = `UPDATE test_clocks SET now = target, target = NULL, status = 'ready', "drivenBy" = NULL, "leasedUntil" = NULL, "updatedAt" = $3 WHERE ${mine}`;
  await pool.query({ name: 'finish-test-clock', text, values: [drive.testClockId, drive.drivenBy, real] });
}

export async function failAdvance(pool: pg.Pool, drive: Drive, reason: string, real: Date): Promise<void> {
  const text = `UPDATE test_clocks SET status = 'internal_failure', "failureReason" = $3, "drivenBy" = NULL, "leasedUntil" = NULL, "updatedAt" = $4 WHERE ${mine}`;
  await pool.query({ name: 'fail-test-clock', text, values: [drive.testClockId, drive.drivenBy, reason, real] });
}

/** Leaves the rest to whoever takes it next. */
export async function releaseClock(pool: pg.Pool, drive: Drive): Promise<void> {
  await pool.query({
    name: 'release-test-clock',
    text: `UPDATE test_clocks SET "drivenBy" = NULL, "leasedUntil" = NULL WHERE ${mine}`,
    values: [drive.testClockId, drive.drivenBy],
  });
}

/** Clocks that are to be driven and are not. */
export async function idleClocks(pool: pg.Pool, real: Date, max: number): Promise<string[]> {
  const text = `SELECT id FROM test_clocks WHERE status = 'advancing' AND ("leasedUntil" IS NULL OR "leasedUntil" <= $1) ORDER BY "updatedAt" LIMIT $2`;
  const { rows } = await pool.query<{ id: string }>({ name: 'idle-test-clocks', text, values: [real, max] });
  return rows.map(({ id }) => id);
}

function leaseFrom(real: Date): Date {
  return new Date(real.getTime() + leaseMs);
}
