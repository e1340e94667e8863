import { inWords, localTime } from '../parts/format.ts';
import { type Hit, pathOfHit } from './hits.ts';
import type { Mode } from './mode.ts';
import { groups, offered } from './navigation.ts';
import { usePerson } from './person.tsx';

/** Something that the search can open. */
export interface Choice {
  key: string;
  group: 'Found' | 'Pages';
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
