/** What other domains may use of this one. No file of this domain imports it. */
export { AuditFilters, auditList } from './list-audit-rows.ts';
export { AuditEntry, type AuditListRow, auditColumns } from './types.ts';
