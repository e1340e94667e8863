import { useLocation } from '@tanstack/react-router';
import { askFor } from '../ui/asked-action.ts';
import type { Mode } from '../ui/mode.ts';
import { may, type Right, usePerson } from '../ui/person.tsx';
import { leave } from './leave.ts';
import { groups, offered, sameListIn } from './navigation.ts';
import type { Choice } from './search-choices.ts';

/** The buttons of lists that create something, and who may press them. */
const creations: readonly { name(mode: Mode): string; path: string; right: Right; only?: Mode }[] = [
  { name: () => 'Create partner', path: '/partners', right: 'superadmin' },
  { name: (mode) => `Create ${mode} key`, path: '/api-keys', right: 'admin' },
  { name: () => 'Create block rule', path: '/block-rules', right: 'admin' },
  { name: () => 'Create test clock', path: '/test-clocks', right: 'admin', only: 'test' },
];

/** The pages of the person and what the search can do for them, where it contains what was typed. */
export function useCommands(typed: string, mode: Mode, onFailed: (text: string) => void): Choice[] {
  const person = usePerson();
  const { pathname } = useLocation();
  const wanted = typed.trim().toLowerCase();
  const pages = groups
    .flatMap(({ links }) => offered(links, person, mode))
    .map(({ label, path }): Choice => ({ key: `page ${path}`, group: 'Pages', label: `Go to ${label}`, path, mode }));
  const action = (label: string, more: Partial<Choice>): Choice => ({
    key: `action ${label}`,
    group: 'Actions',
    label,
    mode,
    ...more,
  });
  const other = mode === 'live' ? 'test' : 'live';
  const creates = creations
    .filter(({ right, only = mode, path }) => {
      // Internal staff choose a partner first: its key is made on the page of the partner.
      const isShown = path !== '/api-keys' || person.partnerSlug !== null;
      return isShown && only === mode && may(person, right);
    })
    .map(({ name, path }) => action(name(mode), { path, act: () => askFor(name(mode)) }));
  const switches = action(`Switch to ${other} mode`, {
    path: sameListIn(other, pathname).slice(`/${other}`.length),
    mode: other,
  });
  const leaves = action('Sign out', {
    act: () => void leave().then((done) => done || onFailed('Sign-out failed: the server did not respond. Try again.')),
  });
  return [...pages, ...creates, switches, leaves].filter(({ label }) => label.toLowerCase().includes(wanted));
}
