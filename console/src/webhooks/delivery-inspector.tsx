import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Time } from '../ui/time.tsx';

export const InspectedDelivery = graphql(`
  fragment InspectedDelivery on WebhookDelivery {
    id endpointId eventType status nextAttemptAt requestBody
    endpoint { url }
    attempts {
      at status durationMs error responseBody
      requestHeaders { name value }
      responseHeaders { name value }
    }
  }
`);

type Delivery = ResultOf<typeof InspectedDelivery>;
type Attempt = Delivery['attempts'][number];

/** What was sent to an endpoint, and what it answered at each attempt, the latest first. */
export function DeliveryInspector({ delivery }: { delivery: Delivery }) {
  const { requestBody, attempts, status } = delivery;
  return (
    <Stack>
      {attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          {status === 'dead' ? 'Not sent: the endpoint was disabled.' : 'Not sent yet.'}
        </Text>
      )}
      {attempts.toReversed().map((attempt, index) => (
        <AttemptView key={attempt.at} attempt={attempt} number={attempts.length - index} />
      ))}
      <Copied name="Request body (same for every attempt)" text={indented(requestBody)} copied={requestBody} />
    </Stack>
  );
}

function AttemptView({ attempt, number }: { attempt: Attempt; number: number }) {
  const { at, status, durationMs, error, requestHeaders, responseHeaders, responseBody } = attempt;
  return (
    <Stack gap={6} className="attempt">
      <Text size="sm" component="div">
        <strong>
          Attempt {number}: {status ?? 'no response'}
        </strong>{' '}
        after {durationMs} ms, <Time at={at} />
      </Text>
      {error && <Text size="sm">{error}</Text>}
      <Copied name="Request headers" text={headersText(requestHeaders)} />
      {responseHeaders && <Copied name="Response headers" text={headersText(responseHeaders)} />}
      {responseBody && <Copied name="Response body" text={responseBody} />}
    </Stack>
  );
}

function headersText(headers: readonly { name: string; value: string }[]): string {
  return headers.map(({ name, value }) => `${name}: ${value}`).join('\n');
}

/** JSON with indents, for reading. What is copied are the bytes that were sent, which the signature is of. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** A text under its name, with a button that copies it. */
function Copied({ name, text, copied = text }: { name: string; text: string; copied?: string }): ReactNode {
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {name}
        </Text>
        <CopyButton value={copied}>
          {({ copied: isCopied, copy }) => (
            <Button size="compact-xs" variant="subtle" onClick={copy} aria-label={`Copy: ${name}`}>
              {isCopied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block tabIndex={0} className="payload" aria-label={name}>
        {text === '' ? 'none' : text}
      </Code>
    </div>
  );
}
