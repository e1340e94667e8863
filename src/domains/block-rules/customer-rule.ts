import type { BlockRule } from '../../generated/prisma/client.ts';
import { newRow } from '../../lib/ids.ts';
import type { StoredCriteria } from './rule-criteria.ts';
import { keyOf } from './rule-match.ts';
import { lifetimeOf } from './rule-rows.ts';

/** The row of a rule that blocks a customer. It is inserted with the refund that requests it. */
export function customerRule(
  payment: {
    id: string;
    partnerId: string;
    platformAccountId: string;
    mode: string;
    customerId: string;
    customerEmailLower: string;
  },
  now: Date,
): BlockRule {
  const { customerId, customerEmailLower: email } = payment;
  const stored: StoredCriteria = {
    criteria: { customerId, email },
    keys: [keyOf('customerId', customerId), keyOf('email', email)],
    hasPatterns: false,
  };
  return {
    ...newRow('rule_', payment, now),
    storeId: null,
    name: `Customer of refunded payment ${payment.id}`,
    operator: 'OR',
    ...stored,
    ...lifetimeOf(true, null, now),
    metadata: {},
  };
}
