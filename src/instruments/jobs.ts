import type { Env } from '../env.ts';

/** Longer than any call that still makes something of a card can take. */
const graceMs = 3_600_000;
/** How far back a card that nothing came to refer to is looked for; a server that was down longer leaves those before alone. */
const lookBackMs = 7 * 86_400_000;
const batchMax = 500;

type Parts = Pick<Env, 'pool' | 'clock' | 'vault'>;

/**
 * Takes cards out of the vault that nobody can use any more: of tokens that ran out, and of calls whose server died between
 * keeping the card and writing what refers to it. Each card goes before its token, so that a pass cut short is finished by the next.
 */
export async function removeUnclaimedCards(env: Parts, stopping: AbortSignal = never): Promise<number> {
  return (await removeExpiredTokens(env, stopping)) + (await removeOrphans(env, stopping));
}

const never = new AbortController().signal;

async function removeExpiredTokens({ pool, clock, vault }: Parts, stopping: AbortSignal): Promise<number> {
  for (let removed = 0; ; ) {
    const { rows } = await pool.query<{ id: string; cardId: string; unused: boolean }>({
      name: 'expired-tokens',
      text: expiredTokens,
      values: [new Date(clock.now().getTime() - graceMs)],
    });
    for (const { cardId, unused } of rows) {
      if (!unused) continue;
      await vault.remove(cardId);
      removed++;
    }
    await pool.query({
      name: 'remove-tokens',
      text: 'DELETE FROM tokens WHERE id = ANY($1)',
      values: [rows.map(({ id }) => id)],
    });
    if (rows.length < batchMax || stopping.aborted) return removed;
  }
}

// An expired token is as one that never was, used or not.
const expiredTokens = `SELECT id, "cardId", "usedAt" IS NULL AS unused FROM tokens WHERE "expiresAt" < $1 ORDER BY "expiresAt" LIMIT ${batchMax}`;

async function removeOrphans({ pool, clock, vault }: Parts, stopping: AbortSignal): Promise<number> {
  const now = clock.now().getTime();
  const stretch = { from: new Date(now - lookBackMs), to: new Date(now - graceMs), limit: batchMax };
  let removed = 0;
  for (let after: string | null = null; ; ) {
    const kept: string[] = await vault.listKept({ ...stretch, after });
    const { rows } = await pool.query<{ cardId: string }>({ name: 'orphaned-cards', text: orphaned, values: [kept] });
    for (const { cardId } of rows) await vault.remove(cardId);
    removed += rows.length;
    after = kept.at(-1) ?? null;
    if (kept.length < batchMax || stopping.aborted) return removed;
  }
}

const orphaned = `SELECT k AS "cardId" FROM unnest($1::text[]) k
WHERE NOT EXISTS (SELECT 1 FROM tokens t WHERE t."cardId" = k) AND NOT EXISTS (SELECT 1 FROM payment_instruments i WHERE i."cardId" = k)`;
