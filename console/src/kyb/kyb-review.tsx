import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Section, WithFacts } from '../ui/facts.tsx';
import { humanize, localTime } from '../ui/format.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { Decisions, KybActions, type Revealed } from './kyb-actions.tsx';

const document = graphql(`
  query Kyb($id: ID!) {
    kyb(platformAccountId: $id) {
      submittedAt
      account { id livemode legalName status kybStatus country currency }
      requirements { code category description required status submittedAt rejectionReason }
    }
  }
`);
type View = NonNullable<ResultOf<typeof document>['kyb']>;
type Value = Revealed[number]['value'];

/** The review of one account. What the merchant sent is shown after `Reveal values`, which is audited. */
export function KybReview() {
  const id = usePathId();
  const query = useDetail(document, { id });
  return (
    <Ready query={query} missing="Account not found.">
      {({ kyb: view }) => view && <Review view={view} />}
    </Ready>
  );
}

function Review({ view: { account, requirements, submittedAt } }: { view: View }) {
  const [values, setValues] = useState<ReadonlyMap<string, Value>>(new Map());
  const refused = refusalReason(usePerson(), 'hub');
  const platformAccountId = account.id;
  const seen = {
    Review: humanize(account.kybStatus),
    Submitted: submittedAt && localTime(submittedAt),
    ...Object.fromEntries(requirements.map(({ description, status }) => [description, humanize(status)])),
  };
  return (
    <Detail
      title={
        <>
          {account.legalName} <Status of={account.kybStatus} />
        </>
      }
      list={{ name: 'KYB reviews', path: '/kyb' }}
      audited={platformAccountId}
      livemode={account.livemode}
      actions={
        <KybActions
          account={account}
          submittedAt={submittedAt}
          seen={seen}
          refused={refused}
          onReveal={(revealed) => setValues(new Map(revealed.map(({ code, value }) => [code, value])))}
        />
      }
    >
      <WithFacts
        title="Account"
        of={[
          ['Account', <PathLink path={`/accounts/${platformAccountId}`}>{platformAccountId}</PathLink>],
          ['Status', <Status of={account.status} />],
          ['Submitted', <Time at={submittedAt} far />],
          ['Country', account.country],
          ['Currency', account.currency],
        ]}
      >
        {requirements.map((requirement) => {
          const { code, description, status, category, rejectionReason } = requirement;
          return (
            <Section
              key={code}
              title={description}
              aside={<Decisions account={account} requirement={requirement} refused={refused} />}
            >
              <Stack gap={4}>
                <Group gap="xs">
                  <Status of={status} />
                  <Text size="xs" c="dimmed">
                    <Words of={category} />
                    {requirement.required ? '' : ', optional'}
                  </Text>
                  <Time at={requirement.submittedAt} />
                </Group>
                {rejectionReason && <Text size="sm">{rejectionReason}</Text>}
                {values.has(code) && <Text ff="monospace">{valueText(values.get(code))}</Text>}
              </Stack>
            </Section>
          );
        })}
      </WithFacts>
    </Detail>
  );
}

/** A value as it was sent: a text, or the parts of an address. */
function valueText(value: Value | undefined): string {
  if (value === null || value === undefined) return 'Not provided';
  return typeof value === 'string' ? value : Object.values(value).join(', ');
}
