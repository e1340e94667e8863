import { resolveTransaction } from '../../../src/domains/payments/resolution/resolve.ts';
import type { TestPlatform } from '../../support/platform.ts';

/** Records, as the job does, the outcomes of transactions `t` of payments `p` that the condition in SQL names. */
export async function resolveWhere({ services }: TestPlatform, condition: string): Promise<void> {
  const { rows } = await services.pool.query<{ id: string; type: string; paymentId: string }>(
    `SELECT t.id, t.type, t."paymentId"
    FROM transactions t
    JOIN payments p ON p.id = t."paymentId"
    WHERE t.status = 'processing' AND ${condition}`,
  );
  for (const row of rows) await resolveTransaction(services, row);
}
