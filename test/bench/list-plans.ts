import type { Tenant } from '../../src/auth/tenancy.ts';
import type { SessionContext, TenantContext } from '../../src/call/context.ts';
import { listUsers, type UserFilters } from '../../src/iam/users/list-users.ts';
import type { Services } from '../../src/services.ts';
import { type Explained, explaining } from './explain.ts';
import { type AskedList, type KeyList, keyLists } from './key-lists.ts';
import { operatorLists } from './operator-lists.ts';
import type { BigTenant } from './tenants.ts';

/** One query of a list, and PostgreSQL's plan for it. */
export interface PlannedList extends Explained {
  name: string;
  /** Whether the caller filtered the list. The rows found may then be sorted, since they are fewer than the table's. */
  filtered: boolean;
}

/**
 * The plan of every list query: each sort field in both directions, deep pages, cursors and filters, with both kinds of
 * API key.
 */
export async function planLists(services: Services, tenant: BigTenant, webhookId: string): Promise<PlannedList[]> {
  const plans: PlannedList[] = [];
  for (const list of keyLists(tenant, webhookId)) {
    for (const caller of tenantsOf(tenant)) {
      const isOfPartner = caller.platformAccountId === undefined;
      if (list.partnerOnly && !isOfPartner) continue;
      const name = `${list.name}, ${isOfPartner ? 'partner key' : 'sub-key'}`;
      // lists use no other property
      const context = (spied: Services) => ({ services: spied, tenant: caller }) as TenantContext;
      const read = (spied: Services, requested: AskedList) => list.read(context(spied), requested);
      plans.push(...(await planEach(services, { ...list, name }, read)));
    }
  }
  return plans;
}

/**
 * The lists of operators, over all partners and over one: newest first, the other sort orders offered over all
 * partners, deep pages, cursors and single filters.
 */
export async function planOperatorLists(services: Services, { partnerId }: BigTenant): Promise<PlannedList[]> {
  const plans: PlannedList[] = [];
  for (const list of operatorLists) {
    for (const [whose, partner] of [
      ['all partners', null],
      ['one partner', partnerId],
    ] as const) {
      const visibility = { kind: 'people', mode: 'test', partnerId: partner, replica: null } as const;
      // lists use no other property
      const context = (spied: Services) => ({ services: spied, caller: internal }) as SessionContext;
      const read = (spied: Services, requested: AskedList) => list.read(context(spied), visibility, requested);
      plans.push(...(await planEach(services, { ...list, name: `${list.name}, ${whose}` }, read)));
    }
  }
  return plans;
}

type ListToPlan = Pick<KeyList, 'name' | 'cursor'> & Partial<Pick<KeyList, 'sorts' | 'narrow' | 'filters'>>;

/** The plans of one list as one caller reads it: by default, deep, by each sort field, by cursor, by each filter. */
async function planEach(
  services: Services,
  { name, cursor, sorts = [], narrow = false, filters = {} }: ListToPlan,
  read: (services: Services, requested: AskedList) => Promise<{ nextCursor: string | null }>,
): Promise<PlannedList[]> {
  const plans: PlannedList[] = [];
  const ask = async (how: string, requested: AskedList, filtered = narrow): Promise<string | null> => {
    const { explained, answer } = await explaining(services, (spied) => read(spied, requested));
    plans.push({ name: `${name}, ${how}`, filtered, ...explained });
    return answer.nextCursor;
  };
  const nextCursor = await ask('default', {});
  await ask('page 90', { page: 90 });
  for (const field of sorts)
    for (const direction of ['asc', 'desc'] as const)
      await ask(`by ${field} ${direction}`, { sortBy: { field, direction } });
  if (cursor) await ask('cursor', { cursor: nextCursor });
  for (const [filter, value] of Object.entries(filters))
    await ask(`of one ${filter}`, { filters: value as never }, true); // the list's own filters
  return plans;
}

const internal: SessionContext['caller'] = {
  kind: 'session',
  userId: 'user_none',
  email: 'none@example.com',
  platformRoles: ['superadmin'],
  whitelabelOwnership: null,
  partnerId: null,
  sessionId: 'none',
  impersonatorId: null,
};

/** The list of users, as operators read it: its parts, and each filter. */
export async function planUserLists(services: Services): Promise<PlannedList[]> {
  const forms: Record<string, Partial<UserFilters>> = {
    default: {},
    'offset 1780': { offset: 1780 },
    'of one partner': { partnerScope: 'bench' },
    'internal staff': { partnerScope: '__internal__' },
    'of one role': { platformRole: 'accountmanager' },
    'that match a text': { q: 'staff7' },
  };
  const plans: PlannedList[] = [];
  for (const [how, filters] of Object.entries(forms)) {
    const { explained } = await explaining(services, (spied) =>
      // the list uses no other property
      listUsers({ services: spied, caller: internal } as SessionContext, { limit: 100, offset: 0, ...filters }),
    );
    plans.push({ name: `users, ${how}`, filtered: Object.keys(filters).length > 0, ...explained });
  }
  return plans;
}

function tenantsOf({ partnerId, accountId }: BigTenant): Tenant[] {
  return [
    { partnerId, mode: 'test', platformAccountId: accountId },
    { partnerId, mode: 'test' },
  ];
}
