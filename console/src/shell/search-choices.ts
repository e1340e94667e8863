import { graphql, type ResultOf } from '../graph/graphql.ts';
import { humanize, localTime } from '../ui/format.ts';
import type { Mode } from '../ui/mode.ts';
import { may, usePerson } from '../ui/person.tsx';
import { groups, offered } from './navigation.ts';

/** Something that the search can open. */
export interface Choice {
  key: string;
  group: 'Found' | 'Pages' | 'Lists';
  label: string;
  detail?: string;
  path: string;
  mode: Mode;
}

/** The pages of the person whose name contains what was typed. */
export function usePages(typed: string, mode: Mode): Choice[] {
  const person = usePerson();
  return groups
    .flatMap(({ links }) => offered(links, person, mode))
    .filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ label, path }) => ({ key: `page ${path}`, group: 'Pages', label, path, mode }));
}

/** The lists that are filtered by what was typed. They find what has no identifier: a name, or a part of it. */
export function useLists(typed: string, mode: Mode): Choice[] {
  const person = usePerson();
  const text = typed.trim();
  if (text === '' || !may(person, 'directory')) return [];
  const list = (label: string, path: string, key: string): Choice => ({
    key: `list ${path} ${key}`,
    group: 'Lists',
    label: `${label} “${text}”`,
    path: `${path}?${new URLSearchParams({ [key]: text }).toString()}`,
    mode,
  });
  const amount = /^[$€£]?\s*(\d+(?:[.,]\d{1,3})?)$/.exec(text)?.[1];
  if (amount !== undefined && !/^\d{4}$/.test(text)) {
    const choice = list('Payments of', '/payments', 'amount');
    return [{ ...choice, path: `/payments?${new URLSearchParams({ amount }).toString()}` }];
  }
  if (text.includes('@')) return [list('Payments of', '/payments', 'customerEmail')];
  return [list('Accounts with name', '/accounts', 'legalName'), list('Users matching', '/users', 'q')];
}

export function choiceOf(hit: Hit, mode: Mode): Choice {
  return {
    key: hit.id,
    group: 'Found',
    label: `${humanize(hit.kind)} ${hit.label}`,
    detail: `${hit.id} · ${localTime(hit.createdAt)}`,
    path: pathOfHit(hit),
    mode: hit.mode ?? mode,
  };
}

export const findDocument = graphql(`
  query Find($text: Name!) {
    search(text: $text) { kind id label belongsTo mode platformAccountId createdAt }
  }
`);

type Hit = NonNullable<ResultOf<typeof findDocument>['search']>[number];

/** Where a hit is shown, below the mode. */
function pathOfHit({ kind, id, label, belongsTo, platformAccountId }: Hit): string {
  switch (kind) {
    case 'payment':
      return `/payments/${id}`;
    case 'transaction':
    case 'refund':
      return `/payments/${belongsTo}`;
    case 'dispute':
      return `/disputes/${id}`;
    case 'order':
      return `/orders/${id}`;
    case 'subscription':
      return `/subscriptions/${id}`;
    case 'customer':
      return `/customers/${id}`;
    case 'paymentInstrument':
      return `/customers/${belongsTo}`;
    case 'webhookEndpoint':
      return `/endpoints/${id}`;
    case 'webhookDelivery':
      return `/endpoints/${belongsTo}`;
    case 'event':
      return `/events/${id}`;
    case 'auditRow':
      return `/audit?target=${belongsTo}`;
    case 'partner':
      return `/partners/${id}`;
    case 'user':
      return `/users?q=${encodeURIComponent(label)}`;
    case 'apiKey':
      return platformAccountId === null ? '/api-keys' : `/api-keys?platformAccountId=${platformAccountId}`;
    case 'account':
    case 'store':
    case 'processor':
    case 'funnel':
      return `/accounts/${platformAccountId}`;
  }
}
