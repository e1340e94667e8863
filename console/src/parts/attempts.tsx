import { Code, Modal, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Section } from './facts.tsx';
import { Time } from './time.tsx';

interface Delivery {
  eventType: string;
  attempts: readonly {
    at: string;
    status: number | null;
    durationMs: number;
    error: string | null;
    responseBody: string | null;
  }[];
}

/** The attempts of a delivery behind a button: when, how long, and what the receiver answered. */
export function Attempts({ delivery: { eventType, attempts } }: { delivery: Delivery }) {
  const [isOpen, dialog] = useDisclosure();
  const last = attempts.at(-1);
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  return (
    <>
      <UnstyledButton className="row-link attempts" fz="sm" onClick={dialog.open}>
        {last ? `${count}, ${last.status ?? 'no answer'}` : count}
      </UnstyledButton>
      <Modal opened={isOpen} onClose={dialog.close} title={`Deliveries of ${eventType}`} size="lg">
        <Stack>
          {attempts.length === 0 && <Text c="dimmed">It has not been sent yet.</Text>}
          {attempts.map(({ at, status, durationMs, error, responseBody }, index) => (
            <Section key={at} title={`Attempt ${index + 1}: ${status ?? 'no answer'}`}>
              <Text size="sm">
                <Time at={at} />, {durationMs} ms
              </Text>
              {error && <Text size="sm">{error}</Text>}
              {responseBody && (
                <Code block tabIndex={0}>
                  {responseBody}
                </Code>
              )}
            </Section>
          ))}
        </Stack>
      </Modal>
    </>
  );
}
