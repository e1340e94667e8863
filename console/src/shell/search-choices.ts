import { graphql, type ResultOf } from '../graph/graphql.ts';
import { humanize, localTime } from '../ui/format.ts';
import type { Mode } from '../ui/mode.ts';
import { may, usePerson } from '../ui/person.tsx';

/** Something that the search can open or do. */
export interface Choice {
  key: string;
  group: 'Found' | 'Pages' | 'Actions' | 'Lists';
  label: string;
  detail?: string;
  /** Below the mode, with its search if it has one. Undefined if the choice only does something. */
  path?: string;
  mode: Mode;
  /** The mode of an object that has one. */
  ownMode?: Mode | null;
  /** What it does, after its page was opened if it has one. */
  act?(): void;
}

/** The lists that are filtered by what was typed. They find what has no hit of its own: an amount, or a part of a user's email. */
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
  return [list('Users matching', '/users', 'q')];
}

/** What was found, the most likely first: what is called so, what begins so, and of the present mode before the other. */
export function choicesOf(hits: readonly Hit[], typed: string, mode: Mode): Choice[] {
  const wanted = typed.toLowerCase();
  const rank = ({ label, mode: own }: Hit): number => {
    const name = label.toLowerCase();
    return (name === wanted ? 0 : name.startsWith(wanted) ? 2 : 4) + (own === null || own === mode ? 0 : 1);
  };
  return hits.toSorted((one, other) => rank(one) - rank(other)).map((hit) => choiceOf(hit, mode));
}

function choiceOf(hit: Hit, mode: Mode): Choice {
  const { kind, id, label, account, createdAt } = hit;
  const merchant = kind === 'account' ? undefined : account?.legalName;
  return {
    key: id,
    group: 'Found',
    label: `${humanize(kind)} ${label}`,
    detail: [merchant, id, localTime(createdAt)].filter(Boolean).join(' · '),
    path: pathOfHit(hit),
    mode: hit.mode ?? mode,
    ownMode: hit.mode,
  };
}

/** What can be in a name or an identifier. Anything else that was pasted finds nothing. */
export const canBeFound = (text: string): boolean =>
  text.length >= shortest && text.length <= longest && !/\p{Cc}/u.test(text);
export const shortest = 2;
const longest = 200;

export const findDocument = graphql(`
  query Find($text: Name!) {
    search(text: $text) { kind id label belongsTo mode platformAccountId createdAt account { legalName } }
  }
`);

type Hit = NonNullable<ResultOf<typeof findDocument>['search']>[number];

/** Where a hit is shown, below the mode. */
function pathOfHit({ kind, id, belongsTo, platformAccountId }: Hit): string {
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
      return `/users/${id}`;
    case 'apiKey':
      return platformAccountId === null ? '/api-keys' : `/api-keys?platformAccountId=${platformAccountId}`;
    case 'store':
      return `/accounts/${platformAccountId}?tab=stores`;
    case 'processor':
      return `/accounts/${platformAccountId}?tab=processors`;
    case 'account':
    case 'funnel':
      return `/accounts/${platformAccountId}`;
  }
}
