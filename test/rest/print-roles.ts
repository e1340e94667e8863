import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScopeMap } from '../../src/auth/scopes.ts';
import { expectedOf, type Kind, personOf, sessions } from '../support/callers.ts';
import { rootFields, scopedFields } from '../support/operations.ts';
import { type RoleAction, roleActions } from './role-actions.ts';

/** The printed page: who may read and do what. */
export const rolesPage = join(import.meta.dirname, '..', '..', 'docs', 'guides', 'roles.md');

const columns = {
  superadmin: 'superadmin',
  hubadmin: 'hubadmin',
  accountmanager: 'account&shy;manager',
  partneradmin: 'partner&shy;admin',
  partnerManager: 'account&shy;manager of a partner',
  partnerstaff: 'partner&shy;staff',
  partnerKey: 'partner key',
  subKey: 'sub-key',
} as const satisfies Partial<Record<Kind, string>>;
// the keys of the table above
const kinds = Object.keys(columns) as (keyof typeof columns)[];

/** The scopes of each field that an action may name. */
const scopesByField: ReadonlyMap<string, ScopeMap> = new Map([
  ...rootFields.map(({ field, scopes }) => [field.name, scopes] as const),
  ...scopedFields.map(({ type, field, scopes }) => [`${type.name}.${field.name}`, scopes] as const),
]);

const marksOf = (action: RoleAction): string[] => kinds.map((kind) => markOf(action, kind));

function markOf(
  { words, fields, scopes: required, isOwnMatter, policy, takesTwo }: RoleAction,
  kind: (typeof kinds)[number],
): string {
  const isAllowed = fields.map((name) => {
    const found = scopesByField.get(name);
    if (!found) throw new Error(`${words}: there is no field ${name}.`);
    return expectedOf(found, kind) === 200;
  });
  if (new Set(isAllowed).size > 1) throw new Error(`${words}: its fields are for different callers.`);
  const person = kind in sessions ? personOf(kind as keyof typeof sessions) : undefined;
  if (!isAllowed[0] || (required && expectedOf(required, kind) !== 200)) return '–';
  if (person && policy && !policy(person)) return '–';
  const isBound = !isOwnMatter && (!person || person.whitelabelOwnership !== null);
  const mark = isBound ? 'own' : 'yes';
  return person && takesTwo?.(person) ? `${mark}, second person` : mark;
}

/** The content of the page. */
export function printedRoles(): string {
  const sections = Object.entries(roleActions).map(([about, actions]) => {
    const rows = actions.map((action) => {
      const fields = action.fields.map((name) => `\`${name}\``).join(', ');
      return `| ${action.words}: ${fields} | ${marksOf(action).join(' | ')} |`;
    });
    const head = `| | ${kinds.map((kind) => columns[kind]).join(' | ')} |`;
    return [`## ${about}`, '', head, `|---|${'---|'.repeat(kinds.length)}`, ...rows].join('\n');
  });
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

const introduction = `# Roles

This page lists what each role can read and do, with the fields of GraphQL. \`npm run print\` writes it from the scopes of the fields and the access
policy.

- **yes**: of every partner.
- **own**: of the own partner only. For a partner key this is its partner, for a sub-key its account, both in the mode of the key.
- **second person**: pending until another person approves it ([rules](../contract/21-operators.md#refunds-that-need-a-second-person)).
- **–**: no.

\`platformpaymentAdmin\` is an older name of \`hubadmin\`. An \`accountmanager\` of a partner is a user with that role and a partner; without a partner, the
user is internal staff. A user without a role can do what \`partnerstaff\` can. Users give a reason for changes of payments, subscriptions, webhooks and
sub-keys. People of a partner see neither the names nor the reasons of internal staff in the audit log, and do not see refund requests of internal staff.`;

if (import.meta.main) writeFileSync(rolesPage, printedRoles());
