import { Modal, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { Ready } from '../ui/detail-page.tsx';
import { Empty } from '../ui/loading-empty-failed.tsx';
import { useMode } from '../ui/mode.ts';
import { DeliveryInspector, InspectedDelivery } from './delivery-inspector.tsx';

const document = graphql(
  `
  query Inspect($mode: Mode!, $eventId: ID!) {
    list: webhookDeliveries(mode: $mode, pageSize: 20, filters: { eventId: $eventId }) {
      items { ...InspectedDelivery }
    }
  }
`,
  [InspectedDelivery],
);

interface Delivery {
  id: string;
  eventId: string;
  eventType: string;
  attempts: readonly { status: number | null }[];
}

/** The attempts of a delivery behind a button: what was sent, and what the receiver answered. */
export function Attempts({ delivery }: { delivery: Delivery }) {
  const { eventType, attempts } = delivery;
  const [isOpen, dialog] = useDisclosure();
  const last = attempts.at(-1);
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  return (
    <>
      <UnstyledButton className="row-link attempts" fz="sm" onClick={dialog.open}>
        {last ? `${count}, ${last.status ?? 'no response'}` : count}
      </UnstyledButton>
      <Modal opened={isOpen} onClose={dialog.close} title={`Deliveries of ${eventType}`} size="lg">
        <Inspected delivery={delivery} />
      </Modal>
    </>
  );
}

function Inspected({ delivery: { id, eventId } }: { delivery: Delivery }) {
  const mode = useMode();
  const query = useQuery({
    queryKey: ['inspect', mode, eventId],
    queryFn: ({ signal }) => ask(document, { mode, eventId }, { signal }),
  });
  return (
    <Ready query={query}>
      {({ list }) => {
        const delivery = list?.items.find((item) => item.id === id);
        return delivery ? <DeliveryInspector delivery={delivery} /> : <Empty>The delivery was purged.</Empty>;
      }}
    </Ready>
  );
}
