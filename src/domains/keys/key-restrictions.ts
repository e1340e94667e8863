import ipaddr from 'ipaddr.js';
import { type InputIssue, InvalidInput } from '../../kit/errors.ts';
import type { CreateApiKeyInput } from './inputs.ts';

const rangesMax = 50;

/** Checks the expiry and the IP ranges of a new key. */
export function assertLimitsConsistent(
  input: Pick<typeof CreateApiKeyInput.$inferInput, 'expiresAt' | 'allowedIps'>,
  now: Date,
): void {
  const issues: InputIssue[] = [];
  if (input.expiresAt != null && input.expiresAt <= now)
    issues.push({ path: 'expiresAt', message: 'must be in the future' });
  const ranges = input.allowedIps ?? [];
  if (ranges.length > rangesMax) issues.push({ path: 'allowedIps', message: `must have at most ${rangesMax} entries` });
  ranges.forEach((range, index) => {
    if (!ipaddr.isValidCIDR(range))
      issues.push({ path: `allowedIps[${index}]`, message: 'must be a CIDR range such as "203.0.113.0/24"' });
  });
  if (issues.length > 0) throw new InvalidInput(issues);
}
