import { inWords } from './format.ts';
import { Money } from './money.tsx';
import { RowsSection } from './rows-section.tsx';
import { Time } from './time.tsx';

interface Posting {
  journalEntryId: string;
  account: string;
  amount: number;
  currency: string;
  createdAt: string;
}

/** What a payment has posted to the ledger. */
export function Postings({ postings }: { postings: readonly Posting[] }) {
  return (
    <RowsSection
      title="Ledger postings"
      rows={postings}
      keyOf={({ journalEntryId, account }) => `${journalEntryId} ${account}`}
      empty="Nothing has been posted."
      columns={[
        { name: 'Account', cell: ({ account }) => inWords(account) },
        { name: 'Amount', right: true, cell: (row) => <Money {...row} /> },
        { name: 'At', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
