import { Alert } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { Id } from '../ui/facts.tsx';
import { localTime } from '../ui/format.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';
import { RedeliverSince, seenOf, switchedOff } from './redeliver.tsx';

const switchDocument = graphql(`
  mutation SwitchEndpoint($webhookId: ID!, $input: UpdateWebhookEndpointInput!, $reason: Name!) {
    updateWebhookEndpoint(webhookId: $webhookId, input: $input, reason: $reason) { id enabled }
  }
`);
const testDocument = graphql(`
  mutation TestEndpoint($webhookId: ID!, $reason: Name!) {
    testWebhookEndpoint(webhookId: $webhookId, reason: $reason) { id status }
  }
`);
const rotate = graphql(`
  mutation RotateSecret($webhookId: ID!, $reason: Name!) {
    rotateWebhookSecret(webhookId: $webhookId, reason: $reason) { id secret }
  }
`);

interface Endpoint {
  id: string;
  enabled: boolean;
  openCount: number;
  /** Until when the secret before the present one signs as well. */
  rotationEndsAt: string | null;
}

interface EndpointActionsProps {
  endpoint: Endpoint;
  /** Shows the new secret, which is shown once. Null in the answer to a repeated call. */
  onSecret(secret: string | null): void;
}

/** Switches an endpoint, tests it, sends again, and replaces its secret. */
export function EndpointActions({ endpoint, onSecret }: EndpointActionsProps) {
  const { id: webhookId, enabled, openCount, rotationEndsAt } = endpoint;
  const person = usePerson();
  const refused = refusalReason(person, 'admin');
  const off = enabled ? undefined : switchedOff;
  const seen = seenOf(endpoint);
  const open =
    openCount === 1 ? '1 delivery that is open is' : `${openCount.toLocaleString()} deliveries that are open are`;
  return (
    <>
      <Action
        name="Send a test event"
        document={testDocument}
        seen={seen}
        isRepeatable
        refused={refused ?? off}
        consequence="The endpoint gets the event webhook/test, which says nothing of a payment. Its answer is shown below."
        variables={(reason) => ({ webhookId, reason })}
        outcome={() => 'on its way'}
      />
      <RedeliverSince endpoint={endpoint} />
      <Action
        name="New secret"
        document={rotate}
        seen={{ 'The earlier secret signs until': rotationEndsAt && localTime(rotationEndsAt) }}
        isRepeatable
        refused={refusalReason(person, 'hub')}
        consequence="Events are signed with a new secret, and for 24 hours with the present one as well. The receiver must take the new one until then."
        variables={(reason) => ({ webhookId, reason })}
        onDone={({ rotateWebhookSecret: done }) => onSecret(done?.secret ?? null)}
      />
      <Action
        name="Switch off"
        color="red"
        document={switchDocument}
        seen={seen}
        isOffered={enabled}
        isRepeatable
        refused={refused}
        consequence={`Nothing is sent any more: ${open} dead, and so is what happens from now on. It can be sent again when the endpoint is switched on.`}
        variables={(reason) => ({ webhookId, input: { enabled: false }, reason })}
      />
      <Action
        name="Switch on"
        color="green"
        document={switchDocument}
        seen={seen}
        isOffered={!enabled}
        isRepeatable
        refused={refused}
        consequence="Events are sent from now on. What happened meanwhile is sent by “Send again since”."
        variables={(reason) => ({ webhookId, input: { enabled: true }, reason })}
      />
    </>
  );
}

/** The new secret of an endpoint, until it is closed. */
export function useNewSecret() {
  const [answered, setAnswered] = useState<{ secret: string | null }>();
  const shown = answered && (
    <Alert
      color="green"
      title="The new secret"
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={() => setAnswered(undefined)}
    >
      {answered.secret === null ? (
        'It was in the answer that was lost, and is shown once. Make another one.'
      ) : (
        <>
          <Id>{answered.secret}</Id> It is shown this once. Send it to the owner of the endpoint by a safe way.
        </>
      )}
    </Alert>
  );
  return { shown, onSecret: (secret: string | null) => setAnswered({ secret }) };
}
