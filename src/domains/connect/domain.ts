import './schema.ts';
import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';

/**
 * Rows are kept longer than their state is valid, so that a replay has its answer and a late browser gets the reason.
 */
const rowLivesMs = 48 * 3_600_000;

export const connectDomain = {
  name: 'connect',
  keeps: [
    { table: sql`connect_attempts`, by: sql`"createdAt"`, forMs: rowLivesMs },
    { table: sql`test_processor.connect_codes`, by: sql`"expiresAt"`, forMs: 0 },
  ],
} as const satisfies Domain;
