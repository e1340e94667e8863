import { graphql, type ResultOf } from '../graph/graphql.ts';
import { RowsSection } from '../ui/rows-section.tsx';
import { Time } from '../ui/time.tsx';

export const AccountBlockRules = graphql(`
  fragment AccountBlockRules on Account {
    blockRules(first: 20) {
      id name operator isPermanent expiresAt createdAt
      bin binRegex panLast4 panRegex email emailRegex country ipAddress customerId paymentId
    }
  }
`);

type BlockRule = NonNullable<ResultOf<typeof AccountBlockRules>['blockRules']>[number];

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
function conditionOf(rule: BlockRule): string {
  const parts = criteria.flatMap(([field, words]) => (rule[field] === null ? [] : [`${words} ${rule[field]}`]));
  return parts.join(` ${rule.operator.toLowerCase()} `);
}

/** The latest block rules of an account. The merchant changes them with a key. */
export function BlockRulesOf({ rules }: { rules: readonly BlockRule[] | null }) {
  return (
    <RowsSection
      title="Block rules"
      rows={rules}
      keyOf={({ id }) => id}
      empty="No block rules yet."
      columns={[
        { name: 'Name', cell: ({ name }) => name },
        { name: 'Criteria', cell: (rule) => <span className="long">{conditionOf(rule)}</span> },
        {
          name: 'Until',
          cell: ({ isPermanent, expiresAt }) => (isPermanent ? 'Permanent' : <Time at={expiresAt} far />),
        },
      ]}
    />
  );
}
