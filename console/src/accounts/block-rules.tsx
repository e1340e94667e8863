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
  ['binRegex', 'card begins like'],
  ['panLast4', 'card ends with'],
  ['panRegex', 'card is like'],
  ['email', 'e-mail'],
  ['emailRegex', 'e-mail is like'],
  ['country', 'country'],
  ['ipAddress', 'address'],
  ['customerId', 'customer'],
  ['paymentId', 'the card of'],
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
      empty="No block rules."
      columns={[
        { name: 'Name', cell: ({ name }) => name },
        { name: 'Blocks', cell: (rule) => <span className="long">{conditionOf(rule)}</span> },
        {
          name: 'Until',
          cell: ({ isPermanent, expiresAt }) => (isPermanent ? 'permanent' : <Time at={expiresAt} far />),
        },
      ]}
    />
  );
}
