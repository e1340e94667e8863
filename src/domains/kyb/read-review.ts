import type { KybRequirement, ProcessingAccount } from '../../generated/prisma/client.ts';
import type { Services } from '../../services.ts';
import { inOrder } from './kyb-object.ts';
import type { KybReview } from './kyb-reviews.ts';
import type { KybValue } from './requirements.ts';
import { openValue } from './values.ts';

/** Reads the KYB of one account. With `reveal` the submitted values are decrypted. */
export async function readReview(
  { prisma, config }: Pick<Services, 'prisma' | 'config'>,
  account: ProcessingAccount,
  reveal: boolean,
): Promise<KybReview> {
  const rows = inOrder(await prisma.kybRequirement.findMany({ where: { platformAccountId: account.id } }));
  return { account, rows, values: reveal ? valuesOf(config, rows) : null };
}

function valuesOf(config: Services['config'], rows: readonly KybRequirement[]): Map<string, KybValue> {
  const values = new Map<string, KybValue>();
  for (const row of rows) {
    const value = openValue(config, row);
    if (value !== null) values.set(row.code, value);
  }
  return values;
}
