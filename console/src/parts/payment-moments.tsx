import { graphql, type ResultOf } from '../graph/graphql.ts';
import { PathLink } from './detail-page.tsx';
import { inWords } from './format.ts';
import { Money } from './money.tsx';
import { reasonIn } from './payload.tsx';
import { Status } from './status.tsx';
import type { Moment } from './timeline.tsx';

export const PaymentMoments = graphql(`
  fragment PaymentMoments on OperatorPayment {
    transactions { id type status amount currency failureCode processorReference createdAt }
    refunds { id amount currency status reason createdAt }
    disputes { id amount currency status reason evidenceDueAt createdAt }
    events { id type sequence createdAt }
    auditRows { id action actorEmail outcome reason after at }
  }
`);

/** Attempts, refunds, disputes, events and what operators did, in one order. */
export function momentsOf(paymentId: string, view: ResultOf<typeof PaymentMoments>): Moment[] {
  const { transactions, refunds, disputes, events, auditRows } = view;
  return [
    // A refund has a row of its own, with its reason.
    ...transactions
      .filter(({ type }) => type !== 'refund')
      .map((row) => ({
        key: row.id,
        at: row.createdAt,
        title: (
          <>
            {inWords(row.type)} of <Money {...row} /> <Status of={row.status} />
          </>
        ),
        detail: row.failureCode ?? row.processorReference ?? '',
        color: row.failureCode ? 'red' : 'green',
      })),
    ...refunds.map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: (
        <>
          refund of <Money {...row} /> <Status of={row.status} />
        </>
      ),
      detail: row.reason ?? '',
    })),
    ...disputes.map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: (
        <>
          <PathLink path={`/payments/${paymentId}/disputes/${row.id}`}>dispute</PathLink> of <Money {...row} />{' '}
          <Status of={row.status} />
        </>
      ),
      detail: inWords(row.reason),
      color: 'red',
    })),
    ...(events ?? []).map((row) => ({
      key: row.id,
      at: row.createdAt,
      title: `event ${row.type}`,
      detail: <PathLink path={`/events/${row.id}`}>show</PathLink>,
      color: 'gray',
    })),
    ...(auditRows ?? []).map((row) => ({
      key: row.id,
      at: row.at,
      title: `${row.action} by ${row.actorEmail ?? 'an API key'}`,
      detail: reasonIn(row.after) ?? row.reason ?? row.outcome,
      color: 'yellow',
    })),
  ];
}
