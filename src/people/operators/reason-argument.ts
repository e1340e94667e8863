/** The argument of everything that an operator does for an account. */
export const reason = {
  type: 'Name',
  required: true,
  description: 'Why it is done, recorded in the audit log. Not shown to the partner.',
} as const;
