/** The argument of everything that an operator does for an account. */
export const reason = {
  type: 'Name',
  required: true,
  description: 'Why it is done, recorded in the audit log. Not shown to the partner.',
} as const;

/** What the description of such a field ends with. */
export const always =
  'Allowed whatever the statuses of the account and its partner are. The partner gets the usual events. The change ' +
  'is recorded in the audit log. An `Idempotency-Key` belongs to the user.';
