import pg from 'pg';

/** The classes of errors after which it is not known whether a statement was committed, or no other one would help. */
const outages = ['08', '53', '57', '58', 'XX'];
const timedOut = '57014';

/** Whether the error is of the statement itself: it was rolled back, and others can run. */
export function isOfStatement(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false;
  return error.code === timedOut || !outages.includes(error.code.slice(0, 2));
}

/** A lock was not free in time. The statement was rolled back, and may be tried again. */
export function isLockTimeout(error: unknown): boolean {
  return databaseCodeOf(error) === '55P03';
}

/** Errors of Prisma contain the code of the database in different places, depending on who built the statement. */
export function databaseCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code, meta }: Error & DatabaseCodes = error;
  return meta?.driverAdapterError?.cause?.originalCode ?? meta?.code ?? code ?? '';
}

interface DatabaseCodes {
  code?: string;
  meta?: { code?: string; driverAdapterError?: { cause?: { originalCode?: string } } };
}

/** The database rolled back one of two transactions. Nothing of it happened, so it can run again. */
export function isConflictOfTransactions(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01');
}
