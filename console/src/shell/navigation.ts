import {
  ActivityLogIcon,
  BackpackIcon,
  CardStackIcon,
  CodeIcon,
  HomeIcon,
  LoopIcon,
  PersonIcon,
} from '@radix-ui/react-icons';
import type { ComponentType } from 'react';
import type { Mode } from '../ui/mode.ts';
import { may, type Person, type Right } from '../ui/person.tsx';

interface PageLink {
  label: string;
  /** Below the mode. */
  path: string;
  right: Right;
  /** Set if the page is of one mode alone. */
  only?: Mode;
}

export interface PageGroup {
  name: string;
  icon: ComponentType<{ 'aria-hidden': true }>;
  links: readonly PageLink[];
}

/** The links that lead a person to something in this mode. */
export function offered(links: readonly PageLink[], person: Person, mode: Mode): PageLink[] {
  return links.filter(({ right, only = mode }) => only === mode && may(person, right));
}

/** The pages by what they are about. A person sees the links of what they may read. */
export const groups: readonly PageGroup[] = [
  {
    name: 'Home',
    icon: HomeIcon,
    links: [{ label: 'Overview', path: '', right: 'directory' }],
  },
  {
    name: 'Payments',
    icon: CardStackIcon,
    links: [
      { label: 'Payments', path: '/payments', right: 'directory' },
      { label: 'Refund approvals', path: '/refund-requests', right: 'directory' },
      { label: 'Disputes', path: '/disputes', right: 'directory' },
      { label: 'Orders', path: '/orders', right: 'directory' },
      { label: 'Cards', path: '/cards', right: 'directory' },
    ],
  },
  {
    name: 'Billing',
    icon: LoopIcon,
    links: [
      { label: 'Customers', path: '/customers', right: 'directory' },
      { label: 'Subscriptions', path: '/subscriptions', right: 'directory' },
      { label: 'Deferred charges', path: '/deferred-charges', right: 'directory' },
      { label: 'Funnels', path: '/funnels', right: 'directory' },
    ],
  },
  {
    name: 'Merchants',
    icon: BackpackIcon,
    links: [
      { label: 'Accounts', path: '/accounts', right: 'directory' },
      { label: 'KYB reviews', path: '/kyb', right: 'directory' },
      { label: 'Processors', path: '/processors', right: 'directory' },
      { label: 'Partners', path: '/partners', right: 'hub' },
      { label: 'Organizations', path: '/organizations', right: 'hub' },
    ],
  },
  {
    name: 'Risk and ledger',
    icon: ActivityLogIcon,
    links: [
      { label: 'Block rules', path: '/block-rules', right: 'directory' },
      { label: 'Card testing alerts', path: '/card-testing-alerts', right: 'platformStaff' },
      { label: 'Ledger', path: '/ledger', right: 'platformStaff' },
      { label: 'Unapplied processor events', path: '/processor-events', right: 'platformStaff' },
    ],
  },
  {
    name: 'Developers',
    icon: CodeIcon,
    links: [
      { label: 'API keys', path: '/api-keys', right: 'directory' },
      { label: 'Key approvals', path: '/key-requests', right: 'directory' },
      { label: 'Webhook endpoints', path: '/endpoints', right: 'directory' },
      { label: 'Webhook deliveries', path: '/deliveries', right: 'directory' },
      { label: 'Events', path: '/events', right: 'directory' },
      { label: 'Test clocks', path: '/test-clocks', right: 'directory', only: 'test' },
    ],
  },
  {
    name: 'Administration',
    icon: PersonIcon,
    links: [
      { label: 'Staff', path: '/staff', right: 'admin' },
      { label: 'Users', path: '/users', right: 'directory' },
      { label: 'Audit log', path: '/audit', right: 'auditor' },
      { label: 'Jobs', path: '/jobs', right: 'platformStaff' },
    ],
  },
];

/**
 * The list that a page belongs to, in a mode: objects have one mode, and filters may name them. The overview where the
 * other mode has no such list.
 */
export function sameListIn(mode: string, pathname: string): string {
  const [, , list = ''] = pathname.split('/');
  const link = groups.flatMap(({ links }) => links).find(({ path }) => path === `/${list}`);
  return `/${mode}${link && (link.only ?? mode) === mode ? link.path : ''}`;
}
