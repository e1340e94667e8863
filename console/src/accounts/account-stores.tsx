import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { Ready } from '../ui/detail-page.tsx';
import { RowsSection } from '../ui/rows-section.tsx';
import { Words } from '../ui/status.tsx';

const document = graphql(`
  query AccountStores($id: ID!) {
    account(platformAccountId: $id) { stores { id name type chargeCurrencies } }
  }
`);

/** The stores of an account. A row leads to the payments of the store. */
export function AccountStores({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['stores of account', id],
    queryFn: ({ signal }) => ask(document, { id }, { signal }),
  });
  return (
    <Ready query={query}>
      {({ account }) => (
        <RowsSection
          title="Stores"
          rows={account?.stores}
          keyOf={(store) => store.id}
          pathOf={(store) => `/payments?storeId=${store.id}`}
          empty="No stores yet."
          columns={[
            { name: 'Name', cell: ({ name }) => name },
            { name: 'Type', cell: ({ type }) => <Words of={type} /> },
            { name: 'Charges in', cell: ({ chargeCurrencies }) => chargeCurrencies.join(', ') },
          ]}
        />
      )}
    </Ready>
  );
}
