import { builder } from '../../graph/builder.ts';
import { DateFilter } from '../../graph/list-inputs.ts';
import { AuditOutcome } from './types.ts';

export const AuditFilters = builder.inputType('AuditFilters', {
  description: 'Filters of the audit log. A row must match every given filter.',
  fields: (t) => ({
    action: t.stringList({ description: 'Only rows of one of these operations.' }),
    outcome: t.field({ type: [AuditOutcome], description: 'Only rows with one of these outcomes.' }),
    actorUserId: t.id({ description: 'Only rows of this user or API key.' }),
    actorEmail: t.string({ description: 'Only rows of the user with this e-mail address.' }),
    target: t.string({ description: 'Only rows about this object.' }),
    reason: t.string({ description: 'Only rows with this reason.' }),
    requestId: t.id({ description: 'Only rows of the request with this `Request-Id`.' }),
    at: t.field({ type: DateFilter, description: 'Only rows of this time.' }),
  }),
});
