import { clockDrivenDisputes } from './disputes/clock-driven.ts';
import type { ClockDriven } from './kit/clock-driven.ts';
import { clockDrivenPayments } from './payments/clock-driven.ts';
import { clockDrivenSubscriptions } from './subscriptions/jobs.ts';
import { clockDrivenWebhooks } from './webhooks/clock-driven.ts';

/** All the work that follows test clocks. Of what is due at the same moment, what stands first here is done first. */
export const clockDriven: readonly ClockDriven[] = [
  clockDrivenPayments,
  clockDrivenDisputes,
  clockDrivenSubscriptions,
  clockDrivenWebhooks,
];
