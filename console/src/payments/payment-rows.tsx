import { graphql, type ResultOf } from '../graph/graphql.ts';
import type { Search } from '../ui/list-definition.ts';
import { Money } from '../ui/money.tsx';
import { AllRows, RowsSection } from '../ui/rows-section.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

export const PaymentRow = graphql(`
  fragment PaymentRow on Payment { id amount currency status subStatus failureCode createdAt }
`);

type Payment = ResultOf<typeof PaymentRow>;

export function PaymentStatus({ of: { status, subStatus } }: { of: Pick<Payment, 'status' | 'subStatus'> }) {
  return <Status of={status} detail={status === 'pending' ? subStatus : null} />;
}

export function PaymentsOf({ payments, all }: { payments: readonly Payment[] | null; all?: Search }) {
  return (
    <RowsSection
      title="Latest payments"
      rows={payments}
      aside={all && <AllRows path="/payments" filters={all} />}
      keyOf={({ id }) => id}
      pathOf={({ id }) => `/payments/${id}`}
      empty="No payments yet."
      columns={[
        { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
        { name: 'Status', cell: (row) => <PaymentStatus of={row} /> },
        { name: 'Reason', cell: ({ failureCode }) => <Words of={failureCode} /> },
        { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
