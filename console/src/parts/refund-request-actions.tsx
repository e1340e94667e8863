import { Group } from '@mantine/core';
import { graphql } from '../graph/graphql.ts';
import { usePerson, whyNot } from '../shell/person.tsx';
import { Action } from './action.tsx';
import { inWords, moneyText } from './format.ts';

const approve = graphql(`
  mutation ApproveRefund($requestId: ID!, $reason: Name!) {
    approveRefundRequest(requestId: $requestId, reason: $reason) { refund { status } }
  }
`);
const reject = graphql(`
  mutation RejectRefund($requestId: ID!, $reason: Name!) {
    rejectRefundRequest(requestId: $requestId, reason: $reason) { id status }
  }
`);
const withdraw = graphql(`
  mutation WithdrawRefund($requestId: ID!, $reason: Name!) {
    withdrawRefundRequest(requestId: $requestId, reason: $reason) { id status }
  }
`);

interface ActedRequest {
  id: string;
  amount: number;
  currency: string;
  status: string;
  isOwn: boolean;
  requestedByEmail: string;
}

/** Approve and reject what another person asked for; withdraw what is one's own. */
export function RequestActions({ request }: { request: ActedRequest }) {
  const { id: requestId, amount, currency, status, isOwn, requestedByEmail } = request;
  const refused = whyNot(usePerson(), 'hub');
  const isOffered = status === 'pending';
  const seen = { Status: inWords(status) };
  const notOwn = refused ?? (isOwn ? 'Another person than you must decide what you asked for.' : undefined);
  const variables = (reason: string) => ({ requestId, reason });
  const money = moneyText(amount, currency);
  return (
    <Group gap="xs" wrap="nowrap">
      <Action
        name="Approve"
        color="green"
        document={approve}
        seen={seen}
        isOffered={isOffered}
        isRepeatable
        refused={notOwn}
        consequence={`${money} go back to the card at once, as ${requestedByEmail} asked.`}
        variables={variables}
      />
      <Action
        name="Reject"
        color="red"
        document={reject}
        seen={seen}
        isOffered={isOffered}
        isRepeatable
        refused={notOwn}
        consequence={`${money} are not refunded. ${requestedByEmail} sees your reason.`}
        variables={variables}
      />
      <Action
        name="Withdraw"
        document={withdraw}
        seen={seen}
        isOffered={isOffered && isOwn}
        isRepeatable
        refused={refused}
        consequence={`${money} are not refunded. You can ask again.`}
        variables={variables}
      />
    </Group>
  );
}
