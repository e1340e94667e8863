import type { Right } from './person.tsx';

interface PageLink {
  label: string;
  /** Below the mode. */
  path: string;
  right: Right;
}

/** The pages by what they are about. A person sees the links of what they may read. */
export const groups: readonly { name: string; links: readonly PageLink[] }[] = [
  {
    name: 'Money',
    links: [
      { label: 'Overview', path: '', right: 'directory' },
      { label: 'Payments', path: '/payments', right: 'directory' },
      { label: 'Disputes', path: '/disputes', right: 'directory' },
      { label: 'Subscriptions', path: '/subscriptions', right: 'directory' },
      { label: 'Withheld charges', path: '/withheld-charges', right: 'directory' },
    ],
  },
  {
    name: 'Merchants',
    links: [
      { label: 'Accounts', path: '/accounts', right: 'directory' },
      { label: 'KYB queue', path: '/kyb', right: 'directory' },
      { label: 'API keys', path: '/api-keys', right: 'directory' },
      { label: 'Card testing alarms', path: '/alarms', right: 'platformStaff' },
    ],
  },
  {
    name: 'Delivery',
    links: [
      { label: 'Events', path: '/events', right: 'platformStaff' },
      { label: 'Webhook endpoints', path: '/endpoints', right: 'platformStaff' },
      { label: 'Webhook deliveries', path: '/deliveries', right: 'platformStaff' },
    ],
  },
  {
    name: 'People',
    links: [
      { label: 'Partners', path: '/partners', right: 'hub' },
      { label: 'Staff', path: '/staff', right: 'roster' },
      { label: 'Users', path: '/users', right: 'directory' },
      { label: 'Organizations', path: '/organizations', right: 'hub' },
    ],
  },
  {
    name: 'Operation',
    links: [
      { label: 'Ledger', path: '/ledger', right: 'platformStaff' },
      { label: 'Jobs', path: '/jobs', right: 'platformStaff' },
      { label: 'Processor events', path: '/processor-events', right: 'platformStaff' },
      { label: 'Audit log', path: '/audit', right: 'hub' },
    ],
  },
];
