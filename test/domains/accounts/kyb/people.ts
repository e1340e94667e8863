import { kybCodes } from '../../../../src/domains/accounts/kyb/lifecycle.ts';
import type { SignedIn } from '../../../iam/people.ts';

/** Contained in every submitted value, so that a test can search for it. */
export const marker = 'KybMarker7731';

/** A value for each requirement, or for those that are named. */
export function itemsOf(
  codes: readonly string[] = kybCodes,
  values: Readonly<Record<string, unknown>> = {},
): { items: { code: string; value: unknown }[] } {
  return {
    items: codes.map((code) => ({
      code,
      value:
        values[code] ??
        (code.endsWith('.address')
          ? { line1: `${marker} Street 1`, city: 'Springfield', country: 'US' }
          : `${marker} ${code}`),
    })),
  };
}

/** The value of a root field, or `[code, reason]` of its error. */
export async function ask(
  person: Pick<SignedIn, 'graphql'>,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<any> {
  const { data, errors } = await person.graphql(query, variables);
  return errors ? [errors[0].extensions.code, errors[0].extensions.data?.reason] : Object.values(data as object)[0];
}

const shown = '{ account { id status kybStatus } submittedAt requirements { code status rejectionReason value } }';

export const queries = {
  queue:
    'query ($mode: Mode!, $partnerSlug: Slug, $page: PageNumber, $pageSize: PageSize) { kybQueue(mode: ' +
    '$mode, partnerSlug: $partnerSlug, page: $page, pageSize: $pageSize) { total items { account { id } ' +
    'submittedAt waitingSeconds } } }',
  view: `query ($id: ID!) { kyb(platformAccountId: $id) ${shown} }`,
  history:
    'query ($id: ID!) { account(platformAccountId: $id) { events { type } auditEntries { action actorEmail after } } }',
  reveal: `mutation ($id: ID!) { revealKyb(platformAccountId: $id, reason: "Review") ${shown} }`,
  review:
    'mutation ($id: ID!, $code: KybCode!, $decision: KybDecision!, $reason: Name) { ' +
    `reviewKybRequirement(platformAccountId: $id, code: $code, decision: $decision, reason: $reason) ${shown} }`,
  approve:
    'mutation ($id: ID!, $submittedAt: DateTime) { approveKyb(platformAccountId: $id, submittedAt: $submittedAt) ' +
    `${shown} }`,
  reject: `mutation ($id: ID!, $reason: Name!) { rejectKyb(platformAccountId: $id, reason: $reason) ${shown} }`,
  suspend: 'mutation ($id: ID!, $reason: Name) { suspendAccount(platformAccountId: $id, reason: $reason) { status } }',
  activate: 'mutation ($id: ID!) { activateAccount(platformAccountId: $id) { status } }',
  close: 'mutation ($id: ID!) { closeAccount(platformAccountId: $id, reason: "wound up") { status } }',
  plan: 'mutation ($id: ID!, $plan: Plan!) { setAccountPlan(platformAccountId: $id, plan: $plan) { plan } }',
} as const;
