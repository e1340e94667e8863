import { accountsAwaitingReview } from '../../domains/accounts/public.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { ListArguments, Page } from '../../graph/lists.ts';
import type { Mode } from '../../kit/mode.ts';
import { operatorVisibility } from './visibility.ts';

type QueueArguments = ListArguments<Record<string, never>> & { mode: Mode; partnerSlug?: string | null | undefined };

/** Accounts that wait for a review, longest waiting first. */
export async function listKybQueue(
  context: SessionContext,
  { mode, partnerSlug, ...args }: QueueArguments,
): Promise<Page<ProcessingAccount>> {
  return accountsAwaitingReview(context, await operatorVisibility(context, mode, partnerSlug), args);
}
