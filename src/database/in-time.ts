import type pg from 'pg';

const answerMaxMs = 1_000;

/** Rejects if the database does not answer within a second. */
export async function withTimeLimit<Answer>(query: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The database did not answer in time.')), answerMaxMs);
  });
  try {
    return await Promise.race([query, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the database answers no statement within a second, which is when a server is not ready. */
export function isUnavailable(pool: pg.Pool): Promise<boolean> {
  return withTimeLimit(pool.query('SELECT 1')).then(
    () => false,
    () => true,
  );
}
