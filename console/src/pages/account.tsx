import { Select, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Action } from '../parts/action.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../parts/detail-page.tsx';
import { Facts, Id, Section } from '../parts/facts.tsx';
import { OrderRow, OrdersOf, PaymentRow, PaymentsOf } from '../parts/object-rows.tsx';
import { RowsSection } from '../parts/rows-section.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { may, usePerson, whyNot } from '../shell/person.tsx';

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
        customers(first: 10) { id email firstName lastName createdAt }
      }
    }
  }
`,
  [PaymentRow, OrderRow],
);
const suspend = graphql(`
  mutation SuspendAccount($accountId: ID!, $reason: Name) {
    suspendAccount(accountId: $accountId, reason: $reason) { id status }
  }
`);
const activate = graphql(`
  mutation ActivateAccount($accountId: ID!) {
    activateAccount(accountId: $accountId) { id status }
  }
`);
const close = graphql(`
  mutation CloseAccount($accountId: ID!, $reason: Name!) {
    closeAccount(accountId: $accountId, reason: $reason) { id status }
  }
`);
const setPlan = graphql(`
  mutation SetPlan($accountId: ID!, $plan: Plan!) {
    setAccountPlan(accountId: $accountId, plan: $plan) { id plan }
  }
`);

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
      </SimpleGrid>
    </Detail>
  );
}

function AccountActions({ account: { id: accountId, status, plan } }: { account: AccountView }) {
  const person = usePerson();
  const hub = whyNot(person, 'hub');
  const [chosen, setChosen] = useState<'standard' | 'premium'>(plan);
  return (
    <>
      {status === 'suspended' || status === 'pending_operator_assignment' ? (
        <Action
          name="Activate"
          color="green"
          document={activate}
          refused={hub}
          takesReason={false}
          consequence="The account may charge again."
          variables={() => ({ accountId })}
        />
      ) : (
        <Action
          name="Suspend"
          color="red"
          document={suspend}
          refused={hub ?? (status === 'closed' ? 'The account is closed.' : undefined)}
          consequence="Nothing is charged for the account. Refunds and voids stay possible."
          variables={(reason) => ({ accountId, reason })}
        />
      )}
      <Action
        name="Change plan"
        document={setPlan}
        refused={hub}
        takesReason={false}
        consequence="The plan decides how many calls a minute the account may make."
        variables={() => ({ accountId, plan: chosen })}
      >
        <Select
          label="Plan"
          data={['standard', 'premium']}
          value={chosen}
          allowDeselect={false}
          onChange={(value) => value && setChosen(value)}
        />
      </Action>
      <Action
        name="Close"
        color="red"
        document={close}
        refused={hub ?? (status === 'closed' ? 'The account is closed.' : undefined)}
        consequence="The account charges nothing any more, and its keys end. This cannot be taken back."
        variables={(reason) => ({ accountId, reason })}
      />
    </>
  );
}
