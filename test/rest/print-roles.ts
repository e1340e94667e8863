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

What each role may read and do, with the fields of GraphQL. \`npm run print\` writes this page from the scopes of the fields and the policy of people.

- **yes**: of every partner.
- **own**: of the own partner alone. For a partner key that is its partner, for a sub-key its account, both in the mode of the key.
- **second person**: it waits until another person approves it ([rules](../contract/21-operators.md#refunds-that-need-a-second-person)).
- **–**: no.

\`platformpaymentAdmin\` is an older name of \`hubadmin\`. An \`accountmanager\` of a partner is a person with that role and a partner; without a partner it is
internal staff. A person without a role may do what \`partnerstaff\` may. People give a reason for changes of payments, subscriptions, webhooks and
sub-keys. Of what internal staff did, people of a partner see neither who it was nor why: this holds for the audit log, and requests for refunds of
internal staff are not shown to them.`;

if (import.meta.main) writeFileSync(rolesPage, printedRoles());
