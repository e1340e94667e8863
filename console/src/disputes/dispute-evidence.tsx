import { Button, CopyButton } from '@mantine/core';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { ItemsOf, OrderItem } from '../orders/order-rows.tsx';
import { Address, addressText, cardText } from '../ui/card-and-address.tsx';
import { PathLink } from '../ui/detail-page.tsx';
import { Facts, Section } from '../ui/facts.tsx';
import { moneyText } from '../ui/format.ts';
import { Money } from '../ui/money.tsx';
import { RowsSection } from '../ui/rows-section.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

export const DisputedPayment = graphql(
  `
  fragment DisputedPayment on Payment {
    id amount capturedAmount refundedAmount currency createdAt
    customer {
      id email firstName lastName phone createdAt
      billingAddress { firstName lastName line1 line2 city state postalCode country }
      shippingAddress { firstName lastName line1 line2 city state postalCode country }
    }
    paymentInstrument { card { brand last4 expMonth expYear funding } }
    order { id platformAccountId items { ...OrderItem } }
    refunds(first: 10) { id amount currency status reason createdAt }
  }
`,
  [OrderItem],
);

type Disputed = ResultOf<typeof DisputedPayment>;

/** Copies the evidence as text, for the form of the processor. Times are in UTC. */
function CopyEvidence({ payment }: { payment: Disputed }) {
  return (
    <CopyButton value={evidenceText(payment)}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy}>
          {copied ? 'Copied' : 'Copy as text'}
        </Button>
      )}
    </CopyButton>
  );
}

function evidenceText({ id, customer, paymentInstrument, order, refunds, ...payment }: Disputed): string {
  const { currency, capturedAmount, refundedAmount, createdAt } = payment;
  const lines: (readonly [string, string | null | undefined])[] = [
    ['Payment', id],
    ['Charged', `${moneyText(capturedAmount, currency)} ${currency} at ${createdAt}`],
    ['Refunded', `${moneyText(refundedAmount, currency)} ${currency}`],
    ['Card', paymentInstrument && cardText(paymentInstrument.card)],
    [
      'Customer',
      [customer?.firstName, customer?.lastName, customer?.email, customer?.phone].filter(Boolean).join(', '),
    ],
    ['Customer since', customer?.createdAt],
    ['Billing address', customer?.billingAddress && addressText(customer.billingAddress)],
    ['Shipping address', customer?.shippingAddress && addressText(customer.shippingAddress)],
    ...(order?.items ?? []).map(
      ({ name, quantity, unitAmount }) =>
        ['Item', `${quantity} × ${name}, ${moneyText(unitAmount, currency)} ${currency} each`] as const,
    ),
    ...(refunds ?? []).map(
      (refund) =>
        ['Refund', `${moneyText(refund.amount, refund.currency)} ${refund.status} at ${refund.createdAt}`] as const,
    ),
  ];
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n');
}

/** What the platform knows of a disputed payment that speaks for the merchant. */
export function Evidence({ payment }: { payment: Disputed }) {
  const { customer, paymentInstrument, order, refunds, currency } = payment;
  return (
    <>
      <Section title="Evidence" aside={<CopyEvidence payment={payment} />}>
        <Facts
          of={[
            [
              'Charged',
              <>
                <Money amount={payment.capturedAmount} currency={currency} />, <Time at={payment.createdAt} />
              </>,
            ],
            ['Refunded', <Money amount={payment.refundedAmount} currency={currency} />],
            ['Card', paymentInstrument && cardText(paymentInstrument.card)],
            ['Customer', customer && <PathLink path={`/customers/${customer.id}`}>{customer.email}</PathLink>],
            ['Name', [customer?.firstName, customer?.lastName].filter(Boolean).join(' ')],
            ['Phone', customer?.phone],
            ['Customer since', customer && <Time at={customer.createdAt} />],
            ['Billing address', customer?.billingAddress && <Address of={customer.billingAddress} />],
            ['Shipping address', customer?.shippingAddress && <Address of={customer.shippingAddress} />],
          ]}
        />
      </Section>
      <ItemsOf items={order?.items} currency={currency} empty="The payment has no order." />
      <RowsSection
        title="Refunds"
        rows={refunds}
        keyOf={({ id }) => id}
        empty="No refunds yet."
        columns={[
          { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
          { name: 'Status', cell: ({ status }) => <Status of={status} /> },
          { name: 'Reason', cell: ({ reason }) => reason ?? '' },
          { name: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </>
  );
}
