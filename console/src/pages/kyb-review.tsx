import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Action } from '../parts/action.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../parts/detail-page.tsx';
import { Facts, Section } from '../parts/facts.tsx';
import { inWords } from '../parts/format.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { usePerson, whyNot } from '../shell/person.tsx';

const document = graphql(`
  query Kyb($id: ID!) {
    operatorKyb(accountId: $id) {
      submittedAt
      account { id livemode legalName status kybStatus country currency }
      requirements {
        requirement { code category description required status submittedAt rejectionReason }
      }
    }
  }
`);
const reveal = graphql(`
  mutation RevealKyb($accountId: ID!) {
    revealKyb(accountId: $accountId) { requirements { requirement { code } value } }
  }
`);
const approve = graphql(`
  mutation ApproveKyb($accountId: ID!, $submittedAt: DateTime) {
    approveKyb(accountId: $accountId, submittedAt: $submittedAt) { account { id kybStatus } }
  }
`);
const reject = graphql(`
  mutation RejectKyb($accountId: ID!, $reason: Name!, $submittedAt: DateTime) {
    rejectKyb(accountId: $accountId, reason: $reason, submittedAt: $submittedAt) { account { id kybStatus } }
  }
`);
const review = graphql(`
  mutation ReviewKyb($accountId: ID!, $code: KybCode!, $decision: KybDecision!, $reason: Name) {
    reviewKybRequirement(accountId: $accountId, code: $code, decision: $decision, reason: $reason) { account { id } }
  }
`);

type View = NonNullable<ResultOf<typeof document>['operatorKyb']>;
type Value = NonNullable<ResultOf<typeof reveal>['revealKyb']>['requirements'][number]['value'];

/** The review of one account. What the merchant sent is shown after `Reveal`, which is audited. */
export function KybReview() {
  const id = usePathId();
  const query = useDetail(document, { id });
  return (
    <Ready query={query} missing="There is no such account.">
      {({ operatorKyb: view }) => view && <Review view={view} />}
    </Ready>
  );
}

function Review({ view: { account, requirements, submittedAt } }: { view: View }) {
  const [values, setValues] = useState<ReadonlyMap<string, Value>>(new Map());
  const refused = whyNot(usePerson(), 'hub');
  const accountId = account.id;
  return (
    <Detail
      title={
        <>
          {account.legalName} <Status of={account.kybStatus} />
        </>
      }
      list={{ name: 'KYB queue', path: '/kyb' }}
      livemode={account.livemode}
      actions={
        <>
          <Action
            name="Reveal"
            document={reveal}
            refused={refused}
            takesReason={false}
            consequence="Shows what the merchant sent. That you saw it is recorded in the audit log."
            variables={() => ({ accountId })}
            onDone={({ revealKyb }) =>
              setValues(new Map(revealKyb?.requirements.map(({ requirement, value }) => [requirement.code, value])))
            }
          />
          <Action
            name="Approve"
            color="green"
            document={approve}
            refused={refused}
            takesReason={false}
            consequence="The account may charge real cards from now on."
            variables={() => ({ accountId, submittedAt })}
          />
          <Action
            name="Reject"
            color="red"
            document={reject}
            refused={refused}
            consequence="The merchant is told the reason, and may submit again."
            variables={(reason) => ({ accountId, reason, submittedAt })}
          />
        </>
      }
    >
      <Section title="Account">
        <Facts
          of={[
            ['Account', <PathLink path={`/accounts/${accountId}`}>{accountId}</PathLink>],
            ['Status', <Status of={account.status} />],
            ['Submitted', <Time at={submittedAt} far />],
            ['Country', account.country],
            ['Currency', account.currency],
          ]}
        />
      </Section>
      {requirements.map(({ requirement }) => {
        const { code, description, status, category, rejectionReason } = requirement;
        return (
          <Section
            key={code}
            title={description}
            aside={<Decisions accountId={accountId} code={code} status={status} refused={refused} />}
          >
            <Stack gap={4}>
              <Group gap="xs">
                <Status of={status} />
                <Text size="xs" c="dimmed">
                  {inWords(category)}
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
    </Detail>
  );
}

/** A value as it was sent: a text, or the parts of an address. */
function valueText(value: Value | undefined): string {
  if (value === null || value === undefined) return 'nothing sent';
  return typeof value === 'string' ? value : Object.values(value).join(', ');
}

interface DecisionsProps {
  accountId: string;
  code: string;
  status: string;
  refused: string | undefined;
}

function Decisions({ accountId, code, status, refused }: DecisionsProps) {
  const isOpen = status === 'submitted';
  const closed = isOpen ? undefined : 'There is nothing submitted to decide.';
  return (
    <Group gap="xs">
      <Action
        name="Accept"
        color="green"
        document={review}
        refused={refused ?? closed}
        takesReason={false}
        consequence="This requirement is fulfilled."
        variables={() => ({ accountId, code, decision: 'approved' as const })}
      />
      <Action
        name="Refuse"
        color="red"
        document={review}
        refused={refused ?? closed}
        consequence="The merchant is told the reason and must send it again."
        variables={(reason) => ({ accountId, code, decision: 'rejected' as const, reason })}
      />
    </Group>
  );
}
