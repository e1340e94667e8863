/**
 * The access table, by operation and caller. `✔`/`✘`: the `ok` of a probe is true or false. `200∅`: `found` is false.
 * `—`: not applicable. Requests act on partner acme and its teammate; `self` acts on the caller: a member of acme with
 * the role partneradmin, elsewhere a superadmin.
 */
const table = `
operation                           | super hub  ppA  am∅  amX  paX  paY  psX  none self pKey sKey anon hubX pa∅
permissions/assign-role             | ✔    ✔    ✔    ✘    ✘    ✔    ✘    ✘    ✘    ✘    401  401  401  ✘    ✘
permissions/manage-partner-staff    | ✔    ✔    ✔    ✘    ✘    ✔    ✘    ✘    ✘    ✘    401  401  401  ✘    ✘
partners-admin/list                 | 200  200  200  403  403  403  403  403  403  —    401  401  401  403  403
partners-admin/get                  | 200  200  200  403  403  403  403  403  403  —    401  401  401  403  403
partners-admin/list-staff           | 200  200  200  403  403  403  403  403  403  —    401  401  401  403  403
partners-admin/list-orgs            | 200  200  200  403  403  403  403  403  403  —    401  401  401  403  403
partners-admin/create               | 200  403  403  403  403  403  403  403  403  —    401  401  401  403  403
partners-admin/update               | 200  200  200  403  403  403  403  403  403  —    401  401  401  403  403
partners-admin/update to offboarded | 200  403  403  403  403  403  403  403  403  —    401  401  401  403  403
partners-admin/archive              | 200  403  403  403  403  403  403  403  403  —    401  401  401  403  403
staff/invite                        | 200  200  200  403  403  200  403  403  403  403  401  401  401  403  403
staff/revoke                        | 200  200  200  403  403  200  403  403  403  403  401  401  401  403  403
staff/delete                        | 200  200  200  403  403  200  403  403  403  403  401  401  401  403  403
staff/resend-invitation             | 200  200  200  403  403  200  403  403  403  404  401  401  401  403  403
staff/set-roles                     | 200  200  200  403  403  200  403  403  403  403  401  401  401  403  403
internal-users/set-roles            | 200  403  403  403  403  403  403  403  403  403  401  401  401  403  403
internal-users/set-partner-scope    | 200  403  403  403  403  403  403  403  403  403  401  401  401  403  403
orgs/assign-to-partner              | 200  403  403  403  403  403  403  403  403  —    401  401  401  403  403
orgs/list                           | 200  200  200  403  403  403  403  403  403  —    401  401  401  403  403
users/list                          | 200  200  200  200  200  200  200  403  403  —    401  401  401  403  403
users/find                          | 200  200  200  200  200  200  200∅ 403  403  —    401  401  401  403  403
`;

export interface Cell {
  operation: string;
  caller: string;
  expected: string;
}

const [head = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|'))
  .map(([operation = '', entries = '']) => [operation.trim(), ...entries.trim().split(/\s+/)]);

export const cells: readonly Cell[] = rows.flatMap(([operation = '', ...expected]) =>
  expected.map((value, index) => ({ operation, caller: head[index + 1] ?? '', expected: value })),
);

/** Roles and scope of the callers who are people. */
export const callers: Readonly<Record<string, { platformRoles: string[]; whitelabelOwnership: string | null }>> = {
  super: { platformRoles: ['superadmin'], whitelabelOwnership: null },
  hub: { platformRoles: ['hubadmin'], whitelabelOwnership: null },
  ppA: { platformRoles: ['platformpaymentAdmin'], whitelabelOwnership: null },
  'am∅': { platformRoles: ['accountmanager'], whitelabelOwnership: null },
  amX: { platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' },
  paX: { platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' },
  paY: { platformRoles: ['partneradmin'], whitelabelOwnership: 'globex' },
  psX: { platformRoles: ['partnerstaff'], whitelabelOwnership: 'acme' },
  none: { platformRoles: [], whitelabelOwnership: null },
  hubX: { platformRoles: ['hubadmin'], whitelabelOwnership: 'acme' },
  'pa∅': { platformRoles: ['partneradmin'], whitelabelOwnership: null },
};
