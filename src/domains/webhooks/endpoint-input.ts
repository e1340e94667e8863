import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';

/** Rejects an address that is not https in live mode, or that belongs to a private network. */
export async function assertUrl({ services, caller }: KeyContext, url: string): Promise<void> {
  if (caller.mode === 'live' && !url.toLowerCase().startsWith('https:'))
    throw invalid('url', 'must be an https address in live mode');
  const refusal = await services.webhookSender.refusalOf(url);
  if (refusal !== null) throw invalid('url', refusal);
}

/** The event types of a request, each once. */
export function eventTypesOf(given: readonly string[]): string[] {
  if (given.length === 0) throw invalid('eventTypes', 'must name at least one type of event');
  return [...new Set(given)];
}
