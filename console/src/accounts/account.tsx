import { Group } from '@mantine/core';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { OrderRow, OrdersOf } from '../orders/order-rows.tsx';
import { groups, offered } from '../shell/navigation.ts';
import { SubscriptionRow, SubscriptionsOf } from '../subscriptions/subscription-rows.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, WithFacts } from '../ui/facts.tsx';
import { useMode } from '../ui/mode.ts';
import { Money } from '../ui/money.tsx';
import { may, usePerson } from '../ui/person.tsx';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { AccountActions } from './account-actions.tsx';
import { AccountTabs } from './account-tabs.tsx';

const document = graphql(
  `
  query Account($id: ID!, $isHub: Boolean!) {
    account(platformAccountId: $id) {
      id livemode legalName status kybStatus plan country currency externalRef createdAt
      partner @include(if: $isHub) { name slug }
      orders(first: 10) { ...OrderRow }
      subscriptions(first: 10) { ...SubscriptionRow }
      disputes(first: 5) { id paymentId amount currency status reason evidenceDueAt }
      customers(first: 10) { id email firstName lastName createdAt }
    }
  }
`,
  [OrderRow, SubscriptionRow],
);
type AccountView = NonNullable<ResultOf<typeof document>['account']>;

/** A processing account: its facts and latest rows, and in tabs of their own what is configured for it. */
export function Account() {
  const query = useDetail(document, { id: usePathId(), isHub: may(usePerson(), 'hub') });
  return (
    <Ready query={query} missing="Account not found.">
      {({ account }) => account && <AccountPage account={account} />}
    </Ready>
  );
}

/** The lists that the person may read, of this account. */
function AccountLists({ id }: { id: string }) {
  const shown = offered(lists, usePerson(), useMode());
  return (
    <Group gap="xs">
      {shown.map(({ label, path }) => (
        <PathLink key={path} path={path} search={{ platformAccountId: id }}>
          {label}
        </PathLink>
      ))}
    </Group>
  );
}

const paths = ['/cards', '/test-clocks', '/deferred-charges', '/events'];
const lists = groups.flatMap(({ links }) => links).filter(({ path }) => paths.includes(path));

function AccountPage({ account }: { account: AccountView }) {
  return (
    <Detail
      title={
        <>
          {account.legalName} <Status of={account.status} />
        </>
      }
      list={{ name: 'Accounts', path: '/accounts' }}
      audited={account.id}
      livemode={account.livemode}
      actions={<AccountActions account={account} />}
    >
      <AccountTabs id={account.id}>
        <Overview account={account} />
      </AccountTabs>
    </Detail>
  );
}

function Overview({ account }: { account: AccountView }) {
  const own = { platformAccountId: account.id };
  return (
    <WithFacts
      title="Account"
      of={[
        ['ID', <Id>{account.id}</Id>],
        [
          'Partner',
          account.partner && (
            <PathLink path={`/partners/${account.partner.slug}`} title={account.partner.slug}>
              {account.partner.name}
            </PathLink>
          ),
        ],
        [
          'KYB',
          <PathLink path={`/kyb/${account.id}`}>
            <Status of={account.kybStatus} />
          </PathLink>,
        ],
        ['Plan', <Words of={account.plan} />],
        ['Country', account.country],
        ['Currency', account.currency],
        ['Partner reference', account.externalRef],
        ['Created', <Time at={account.createdAt} far />],
        ['Show', <AccountLists key="lists" id={account.id} />],
      ]}
    >
      <OrdersOf orders={account.orders} all={own} />
      <SubscriptionsOf subscriptions={account.subscriptions} all={own} />
      <RowsSection
        title="Latest disputes"
        rows={account.disputes}
        keyOf={({ id }) => id}
        pathOf={({ id }) => `/disputes/${id}`}
        empty="No disputes yet."
        aside={<AllRows path="/disputes" filters={own} />}
        columns={[
          { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
          { name: 'Status', cell: ({ status }) => <Status of={status} /> },
          { name: 'Evidence due', cell: ({ evidenceDueAt }) => <Time at={evidenceDueAt} /> },
        ]}
      />
      <RowsSection
        title="Latest customers"
        rows={account.customers}
        keyOf={({ id }) => id}
        pathOf={({ id }) => `/customers/${id}`}
        empty="No customers yet."
        aside={<AllRows path="/customers" filters={own} />}
        columns={[
          { name: 'Email', cell: ({ email }) => email },
          { name: 'Name', cell: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ') },
          { name: 'Created', spare: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </WithFacts>
  );
}
