import { inWords, localTime } from '../parts/format.ts';
import { type Hit, pathOfHit } from './hits.ts';
import type { Mode } from './mode.ts';
import { groups, offered } from './navigation.ts';
import { may, usePerson } from './person.tsx';

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
  if (text.includes('@')) return [list('Payments of', '/payments', 'customerEmail')];
  return [list('Accounts whose name has', '/accounts', 'legalName'), list('Users like', '/users', 'q')];
}

export function choiceOf(hit: Hit, mode: Mode): Choice {
  return {
    key: hit.id,
    group: 'Found',
    label: `${inWords(hit.kind)} ${hit.label}`,
    detail: `${hit.id} · ${localTime(hit.createdAt)}`,
    path: pathOfHit(hit),
    mode: hit.mode ?? mode,
  };
}
