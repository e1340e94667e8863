/** What other domains may use of this one. No file of this domain imports it. */

export { type AuditListRow, auditColumns, auditedPartnerOf, auditRowsOf } from './columns.ts';
export { AuditFilters, auditListOf } from './list-audit-rows.ts';
export { AuditEntry } from './types.ts';
