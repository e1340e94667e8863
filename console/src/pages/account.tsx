import { SimpleGrid } from '@mantine/core';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { AccountActions } from '../parts/account-actions.tsx';
import { AccountBlockRules, BlockRulesOf } from '../parts/block-rules.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
import { OrderRow, OrdersOf, PaymentRow, PaymentsOf } from '../parts/object-rows.tsx';
import { RowsSection } from '../parts/rows-section.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { may, usePerson } from '../shell/person.tsx';

const document = graphql(
  `
  query Account($id: ID!, $isHub: Boolean!) {
    operatorKyb(accountId: $id) {
      account {
        id livemode legalName status kybStatus plan country currency externalRef createdAt
        partner @include(if: $isHub) { name slug }
        stores { id name type chargeCurrencies }
        payments(first: 10) { ...PaymentRow }
        orders(first: 10) { ...OrderRow }
        ...AccountBlockRules
        customers(first: 10) { id email firstName lastName createdAt }
      }
    }
  }
`,
  [AccountBlockRules, PaymentRow, OrderRow],
);
type AccountView = NonNullable<ResultOf<typeof document>['operatorKyb']>['account'];

/** A processing account with its stores and its latest payments. */
export function Account() {
  const query = useDetail(document, { id: usePathId(), isHub: may(usePerson(), 'hub') });
  return (
    <Ready query={query} missing="There is no such account.">
      {({ operatorKyb: view }) => view && <AccountPage account={view.account} />}
    </Ready>
  );
}

function AccountPage({ account }: { account: AccountView }) {
  return (
    <Detail
      title={
        <>
          {account.legalName} <Status of={account.status} />
        </>
      }
      list={{ name: 'Accounts', path: '/accounts' }}
      livemode={account.livemode}
      actions={<AccountActions account={account} />}
    >
      <Section title="Account">
        <Facts
          of={[
            ['Identifier', <Id>{account.id}</Id>],
            ['Partner', account.partner && `${account.partner.name} (${account.partner.slug})`],
            [
              'KYB',
              <PathLink path={`/kyb/${account.id}`}>
                <Status of={account.kybStatus} />
              </PathLink>,
            ],
            ['Plan', account.plan],
            ['Country', account.country],
            ['Currency', account.currency],
            ['Reference of the partner', account.externalRef],
            ['Created', <Time at={account.createdAt} far />],
            [
              'Processors',
              <PathLink path="/processors" search={{ platformAccountId: account.id }}>
                show
              </PathLink>,
            ],
            [
              'Webhook endpoints',
              <PathLink path="/endpoints" search={{ platformAccountId: account.id }}>
                show
              </PathLink>,
            ],
            [
              'Test clocks',
              !account.livemode && (
                <PathLink path="/test-clocks" search={{ platformAccountId: account.id }}>
                  show
                </PathLink>
              ),
            ],
          ]}
        />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <PaymentsOf payments={account.payments} />
        <OrdersOf orders={account.orders} />
        <RowsSection
          title="Latest customers"
          rows={account.customers}
          keyOf={({ id }) => id}
          pathOf={({ id }) => `/customers/${id}`}
          empty="There is no customer yet."
          columns={[
            { name: 'E-mail', cell: ({ email }) => email },
            { name: 'Name', cell: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ') },
            { name: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
        <RowsSection
          title="Stores"
          rows={account.stores}
          keyOf={({ id }) => id}
          empty="There is no store."
          columns={[
            { name: 'Name', cell: ({ name }) => name },
            { name: 'Kind', cell: ({ type }) => type },
            { name: 'Charges in', cell: ({ chargeCurrencies }) => chargeCurrencies.join(', ') },
          ]}
        />
        <BlockRulesOf rules={account.blockRules} />
      </SimpleGrid>
    </Detail>
  );
}
