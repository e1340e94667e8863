import * as enums from '../graph/enums.ts';
import { graphql } from '../graph/graphql.ts';
import { accountFilter, choice, defineList, yesOrNo } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink } from '../ui/object-link.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { ProcessorSwitches, simulated } from './processor-switches.tsx';

const document = graphql(`
  query Processors(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: ProcessorFilters, $partnerSlug: Slug
  ) {
    list: processors(
      mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug
    ) {
      total
      totalPages
      items { id name type enabled connected livemode options supportedCurrencies createdAt account { id legalName } }
    }
  }
`);

interface Health {
  enabled: boolean;
  connected: boolean;
}

function healthOf({ enabled, connected }: Health): { of: string; detail: string } {
  if (!enabled) return { of: 'dead', detail: 'disabled' };
  return connected ? { of: 'active', detail: 'connected' } : { of: 'pending', detail: 'not connected' };
}

export const processorList = defineList({
  title: 'Processors',
  about: 'Card processors of accounts. Processors of type test simulate failures in test mode.',
  right: 'directory',
  byPartner: true,
  document,
  columns: [
    { name: 'Name', cell: ({ name }) => name },
    { name: 'Type', cell: ({ type }) => <Words of={type} /> },
    { name: 'Status', cell: (row) => <Status {...healthOf(row)} /> },
    { name: 'Simulates', cell: (row) => simulated(row) },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Currencies', spare: true, cell: ({ supportedCurrencies }) => supportedCurrencies.join(', ') || 'All' },
    { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Actions', cell: (row) => <ProcessorSwitches processor={row} /> },
  ],
  filters: [choice('type', 'Type', enums.ProcessorType), yesOrNo('enabled', 'Enabled'), accountFilter],
  keyOf: ({ id }) => id,
  pathOf: ({ account }) => (account ? `/accounts/${account.id}` : undefined),
  noun: 'processors',
  comes: 'Processors are connected with an API key.',
});

export const Processors = listPage(processorList);
