import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { processorList } from '../operations/processors.tsx';
import { paymentList } from '../payments/payments.tsx';
import { changed, type Search } from '../ui/list-definition.ts';
import { ListRows } from '../ui/list-rows.tsx';
import { endpointList } from '../webhooks/endpoints.tsx';
import { AccountStores } from './account-stores.tsx';
import { apiKeyList } from './api-keys.tsx';
import { blockRuleList } from './block-rules.tsx';

const names = {
  overview: 'Overview',
  payments: 'Payments',
  keys: 'Keys',
  endpoints: 'Webhook endpoints',
  processors: 'Processors',
  stores: 'Stores',
  rules: 'Block rules',
};

/** The URL does not name it. */
const first = 'overview';

/** The page of an account in tabs. The URL names the open one, and no other asks the platform for anything. */
export function AccountTabs({ id, children }: { id: string; children: ReactNode }) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { tab = first } = search;
  const own = { filters: { platformAccountId: id }, without: ['Account', 'Partner'] };
  return (
    <Tabs
      value={Object.hasOwn(names, tab) ? tab : first}
      onChange={(next) =>
        void navigate({ to: '.', search: changed(search, { tab: next && next !== first ? next : '' }) })
      }
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label="Parts of the account">
        {Object.entries(names).map(([value, name]) => (
          <Tabs.Tab key={value} value={value}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={first}>{children}</Tabs.Panel>
      <Tabs.Panel value="payments">
        <ListRows of={paymentList} path="/payments" {...own} />
      </Tabs.Panel>
      <Tabs.Panel value="keys">
        <ListRows of={apiKeyList} path="/api-keys" {...own} />
      </Tabs.Panel>
      <Tabs.Panel value="endpoints">
        <ListRows of={endpointList} path="/endpoints" {...own} />
      </Tabs.Panel>
      <Tabs.Panel value="processors">
        <ListRows of={processorList} path="/processors" {...own} />
      </Tabs.Panel>
      <Tabs.Panel value="stores">
        <AccountStores id={id} />
      </Tabs.Panel>
      <Tabs.Panel value="rules">
        <ListRows of={blockRuleList} path="/block-rules" {...own} />
      </Tabs.Panel>
    </Tabs>
  );
}
