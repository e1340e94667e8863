import type { SessionContext } from '../../graph/context.ts';
import { callersPartner } from './partner-facts.ts';
import { readableScope } from './policy.ts';
import { forbidden } from './refusals.ts';

/** The partner whose users the caller may read; null for all users. */
export async function readablePartner(context: SessionContext): Promise<string | null> {
  const scope = readableScope(context.caller, await callersPartner(context.services.prisma, context));
  if (!scope.ok) throw forbidden(scope.reason, scope.takes);
  return scope.partnerSlug;
}

/** Escapes a search text: Prisma passes it to LIKE, where these three characters have a meaning. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
