import { Alert, Progress, Text } from '@mantine/core';
import { useState } from 'react';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { SubscriptionRow, SubscriptionsOf } from '../subscriptions/subscription-rows.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, WithFacts } from '../ui/facts.tsx';
import { localTime } from '../ui/format.ts';
import { Missing } from '../ui/loading-empty-failed.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { AdvanceTestClock } from './test-clock-actions.tsx';

const document = graphql(
  `
  query TestClock($id: ID!) {
    testClock(testClockId: $id) {
      id name now status target stepsDone failureReason createdAt
      account { id legalName }
      subscriptions(first: 50) { ...SubscriptionRow }
    }
  }
`,
  [SubscriptionRow],
);

type Clock = NonNullable<ResultOf<typeof document>['testClock']>;

/** A test clock with the subscriptions on it. The page follows an advance. */
export function TestClock() {
  const query = useDetail(document, { id: usePathId() }, ({ testClock: clock }) =>
    clock?.status === 'advancing' ? 1_000 : 10_000,
  );
  return (
    <Ready query={query}>
      {({ testClock: clock }) => (clock ? <TestClockPage clock={clock} /> : <Missing>Test clock not found.</Missing>)}
    </Ready>
  );
}

function TestClockPage({ clock }: { clock: Clock }) {
  const { id, name, now, status, stepsDone, failureReason, createdAt, account, subscriptions } = clock;
  return (
    <Detail
      title={
        <>
          {name} <Status of={status} />
        </>
      }
      list={{ name: 'Test clocks', path: '/test-clocks' }}
      audited={id}
      actions={<AdvanceTestClock clock={clock} />}
    >
      {status === 'advancing' && <Advancing clock={clock} />}
      {failureReason !== null && (
        <Alert color="red" title="The last advance failed">
          {failureReason}
        </Alert>
      )}
      <WithFacts
        title="Test clock"
        of={[
          ['Clock time', <Time key="now" at={now} />],
          ['Steps in last advance', stepsDone.toLocaleString()],
          ['Account', account && <PathLink path={`/accounts/${account.id}`}>{account.legalName}</PathLink>],
          ['ID', <Id key="id">{id}</Id>],
          ['Created', <Time key="created" at={createdAt} far />],
        ]}
      >
        <SubscriptionsOf subscriptions={subscriptions} />
      </WithFacts>
    </Detail>
  );
}

/** How far an advance is, from the time at which the page first saw it. */
function Advancing({ clock: { now, target, stepsDone } }: { clock: Clock }) {
  const [from] = useState(() => new Date(now).getTime());
  if (target === null) return null;
  const whole = new Date(target).getTime() - from;
  const share = whole <= 0 ? 100 : Math.round(((new Date(now).getTime() - from) / whole) * 100);
  return (
    <div role="status">
      <Text size="sm">
        Advancing to {localTime(target)}. Now at {localTime(now)}, {stepsDone.toLocaleString()} steps done.
      </Text>
      <Progress value={share} animated mt="xs" aria-label="Advance" />
    </div>
  );
}
