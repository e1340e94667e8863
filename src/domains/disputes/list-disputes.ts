import { anyOf, dates, id, ids, listOf } from '../../lists/list-of.ts';
import { type DisputeRow, disputeObject } from './dispute-change.ts';
import { Dispute, DisputeReason, DisputeStatus } from './types.ts';

export const disputes = listOf('Dispute', Dispute, (row: DisputeRow) => disputeObject(row), {
  of: 'disputes',
  table: 'disputes',
  sorts: { createdAt: 'createdAt', evidenceDueAt: 'evidenceDueAt' },
  sortsOverAll: ['evidenceDueAt'],
  aboutFilters: 'Filters for a list of disputes. A dispute is returned only if it matches every filter given.',
  filters: {
    status: anyOf(DisputeStatus, 'Returns disputes with any of these statuses.'),
    paymentId: id('Returns disputes of this payment, prefix `pay_`.'),
    storeId: ids('Returns disputes of any of these stores, prefix `store_`.'),
    createdAt: dates('Compares the time at which the dispute was recorded.'),
    evidenceDueAt: dates('Compares the time until which evidence is accepted.'),
    reason: anyOf(DisputeReason, 'Returns disputes with any of these reasons.'),
    processorId: ids('Returns disputes of any of these processors, prefix `proc_`.'),
    platformAccountId: id('Returns disputes of this processing account, prefix `tpa_`.'),
  },
  counted: true,
  forPeople: true,
});
