import { graphql, type ResultOf } from '../graph/graphql.ts';
import { serverNow } from '../graph/server-time.ts';
import { accountFilter, defineList } from '../ui/list-definition.ts';
import { listPage } from '../ui/list-page.tsx';
import { AccountLink } from '../ui/object-link.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { DeleteRule, deleteAll, NewBlockRule } from './block-rule-actions.tsx';

const document = graphql(`
  query BlockRules(
    $mode: Mode!, $page: PageNumber, $pageSize: PageSize, $filters: BlockRuleFilters, $partnerSlug: Slug
  ) {
    list: blockRules(mode: $mode, page: $page, pageSize: $pageSize, filters: $filters, partnerSlug: $partnerSlug) {
      total
      totalPages
      items {
        id name operator isPermanent expiresAt createdAt
        bin binRegex panLast4 panRegex email emailRegex country ipAddress customerId paymentId
        account { id legalName }
      }
    }
  }
`);

type Rule = NonNullable<ResultOf<typeof document>['list']>['items'][number];

const criteria = [
  ['bin', 'card begins with'],
  ['binRegex', 'card number matches from the start'],
  ['panLast4', 'card ends with'],
  ['panRegex', 'card number matches'],
  ['email', 'email'],
  ['emailRegex', 'email matches'],
  ['country', 'country'],
  ['ipAddress', 'IP address'],
  ['customerId', 'customer'],
  ['paymentId', 'card of payment'],
] as const;

/** What a rule matches, in words. */
function conditionOf(rule: Rule): string {
  const parts = criteria.flatMap(([field, words]) => (rule[field] === null ? [] : [`${words} ${rule[field]}`]));
  return parts.join(` ${rule.operator.toLowerCase()} `);
}

function isOver({ expiresAt }: Rule): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= serverNow();
}

export const blockRuleList = defineList({
  title: 'Block rules',
  about: 'Charges that are declined before a processor is called.',
  right: 'directory',
  byPartner: true,
  document,
  actions: () => <NewBlockRule />,
  columns: [
    { name: 'Name', cell: ({ name }) => name },
    { name: 'Criteria', cell: (rule) => <span className="long">{conditionOf(rule)}</span> },
    {
      name: 'Status',
      cell: (rule) => <Status of={isOver(rule) ? 'expired' : 'active'} />,
    },
    {
      name: 'Until',
      cell: ({ isPermanent, expiresAt }) => (isPermanent ? 'Permanent' : <Time at={expiresAt} far />),
    },
    { name: 'Account', cell: ({ account }) => <AccountLink of={account} /> },
    { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Action', cell: (rule) => <DeleteRule rule={rule} /> },
  ],
  bulk: [deleteAll],
  filters: [accountFilter],
  keyOf: ({ id }) => id,
  noun: 'block rules',
  comes: 'Rules are created here, on the page of a payment or customer, or with an API key.',
});

export const BlockRules = listPage(blockRuleList);
