import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import type { Mode } from './mode.ts';
import { processorName } from './object-link.tsx';
import { may, type Person } from './person.tsx';

/** The kinds of objects that a field takes by name. */
export type ObjectKind = 'account' | 'partner' | 'store' | 'processor' | 'customer';

interface KindFacts {
  noun: string;
  /** What an identifier of the kind looks like. A partner is named by its slug. */
  placeholder: string;
  pattern: RegExp;
}

export const objectKinds: Readonly<Record<ObjectKind, KindFacts>> = {
  account: { noun: 'account', placeholder: 'tpa_…', pattern: /^tpa_\w+$/ },
  partner: { noun: 'partner', placeholder: 'slug', pattern: /^[a-z0-9][a-z0-9-]*$/ },
  store: { noun: 'store', placeholder: 'store_…', pattern: /^store_\w+$/ },
  processor: { noun: 'processor', placeholder: 'proc_…', pattern: /^proc_\w+$/ },
  customer: { noun: 'customer', placeholder: 'cus_…', pattern: /^cus_\w+$/ },
};

export const isIdentifier = (kind: ObjectKind, text: string): boolean => objectKinds[kind].pattern.test(text.trim());

export interface NamedObject {
  id: string;
  name: string;
  /** What tells it from others of the same name, such as its merchant. */
  detail: string;
}

const proposalsMax = 8;

const namesDocument = graphql(`
  query NamesOf($text: Name!) {
    search(text: $text) { id kind label }
  }
`);
/** Stores and processors by their own name. */
const ownNamesDocument = graphql(`
  query ObjectsByOwnName($text: Name!, $mode: Mode!) {
    search(text: $text, mode: $mode) { id kind label account { legalName } }
  }
`);
const accountsDocument = graphql(`
  query AccountsByName($mode: Mode!, $filters: AccountFilters) {
    accounts(mode: $mode, pageSize: 8, filters: $filters) { items { id legalName country } }
  }
`);
const storesDocument = graphql(`
  query StoresByName($mode: Mode!, $filters: AccountFilters) {
    accounts(mode: $mode, pageSize: 8, filters: $filters) { items { legalName stores { id name } } }
  }
`);
const processorsDocument = graphql(`
  query ProcessorsByName($mode: Mode!, $filters: AccountFilters) {
    accounts(mode: $mode, pageSize: 8, filters: $filters) { items { legalName processors(first: 8) { id name type } } }
  }
`);
const customersDocument = graphql(`
  query CustomersByEmail($mode: Mode!, $filters: CustomerFilters) {
    customers(mode: $mode, pageSize: 8, filters: $filters) { items { id email account { legalName } } }
  }
`);
const partnersDocument = graphql(`
  query PartnersByName {
    partners { rows { slug name } }
  }
`);

interface Asked {
  mode: Mode;
  text: string;
  person: Person;
}

/** The objects that a text names, at most eight: by identifier, or by a part of the name. */
export async function askObjects(kind: ObjectKind, asked: Asked, signal?: AbortSignal): Promise<NamedObject[]> {
  const { text, person } = asked;
  if (kind === 'partner') return partnersByName(text, person, signal);
  if (isIdentifier(kind, text)) {
    const name = await askName(kind, text, person, signal);
    return name === null ? [] : [{ id: text, name, detail: text }];
  }
  const [own, others] = await Promise.all([byOwnName(kind, asked, signal), byName(kind, asked, signal)]);
  const all = [...own, ...others.filter(({ id }) => !own.some((one) => one.id === id))];
  return all.slice(0, proposalsMax);
}

async function byOwnName(kind: ObjectKind, { mode, text }: Asked, signal?: AbortSignal): Promise<NamedObject[]> {
  if (kind !== 'store' && kind !== 'processor') return [];
  const { search } = await ask(ownNamesDocument, { mode, text }, { signal });
  return (search ?? [])
    .filter((hit) => hit.kind === kind)
    .map(({ id, label, account }) => ({ id, name: label, detail: account?.legalName ?? '' }));
}

/** The name of an object; null if there is none that the person may read. */
export async function askName(
  kind: ObjectKind,
  id: string,
  person: Person,
  signal?: AbortSignal,
): Promise<string | null> {
  if (kind === 'partner') return (await partnersByName(id, person, signal)).find((one) => one.id === id)?.name ?? null;
  const { search } = await ask(namesDocument, { text: id }, { signal });
  return search?.find((hit) => hit.id === id && hit.kind === kind)?.label ?? null;
}

async function partnersByName(text: string, person: Person, signal?: AbortSignal): Promise<NamedObject[]> {
  // Those who may not list the partners know the slug.
  if (!may(person, 'hub')) return isIdentifier('partner', text) ? [{ id: text, name: text, detail: '' }] : [];
  const { partners } = await ask(partnersDocument, {}, { signal });
  const wanted = text.toLowerCase();
  const all = (partners?.rows ?? []).map(({ slug, name }) => ({ id: slug, name, detail: slug }));
  const exact = all.filter(({ id, name }) => id === text || name.toLowerCase() === wanted);
  const others = all.filter((one) => !exact.includes(one) && `${one.name} ${one.id}`.toLowerCase().includes(wanted));
  return [...exact, ...others].slice(0, proposalsMax);
}

async function byName(
  kind: Exclude<ObjectKind, 'partner'>,
  { mode, text }: Asked,
  signal?: AbortSignal,
): Promise<NamedObject[]> {
  const filters = { legalName: { condition: 'contains', value: text } } as const;
  switch (kind) {
    case 'account': {
      const { accounts } = await ask(accountsDocument, { mode, filters }, { signal });
      return (accounts?.items ?? []).map(({ id, legalName, country }) => ({
        id,
        name: legalName,
        detail: country ?? '',
      }));
    }
    case 'store': {
      const { accounts } = await ask(storesDocument, { mode, filters }, { signal });
      return (accounts?.items ?? []).flatMap(({ legalName, stores }) =>
        stores.map(({ id, name }) => ({ id, name, detail: legalName })),
      );
    }
    case 'processor': {
      const { accounts } = await ask(processorsDocument, { mode, filters }, { signal });
      return (accounts?.items ?? []).flatMap(({ legalName, processors }) =>
        (processors ?? []).map(({ id, name, type }) => ({
          id,
          name: processorName({ name, type }),
          detail: legalName,
        })),
      );
    }
    case 'customer': {
      const email = { condition: 'starts_with', value: text } as const;
      const { customers } = await ask(customersDocument, { mode, filters: { email } }, { signal });
      return (customers?.items ?? []).map(({ id, email: name, account }) => ({
        id,
        name,
        detail: account?.legalName ?? '',
      }));
    }
  }
}
