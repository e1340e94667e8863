import type { InvitationView } from '../../../src/iam/public.ts';
import { escapeHtml } from '../../../src/lib/text.ts';
import { platformName } from '../../../src/theme/brand.ts';
import type { TextKey, Words } from '../../../src/theme/words.ts';
import { lengthProblem, passwordField } from '../frame/forms.ts';
import type { Page } from './sign-in-pages.ts';

/** The email address of the browser's session. Null without one. */
export type SignedInAs = string | null;

export function closedInvitationPage({ text, html }: Words): Page {
  return { title: text('accept.gone'), content: `<p>${html('accept.goneText')}</p>` };
}

/** The partner and the inviting user of an invitation, and the next step. */
export function acceptPage(
  words: Words,
  invitation: InvitationView & { email: string; hasAccount: boolean },
  signedInAs: SignedInAs,
): Page {
  const { text } = words;
  const { email, hasAccount, brand } = invitation;
  return {
    title: text('accept.title'),
    brand,
    content: `${aboutInvitation(words, invitation, email)}
${hasAccount ? acceptWithAccount(words, email, signedInAs) : acceptWithPassword(words, email)}`,
  };
}

function acceptWithPassword(words: Words, email: string): string {
  return `<form data-post="accept" data-ticket ${problems(words)} ${lengthProblem(words, 'password')}>
<input type="hidden" autocomplete="username" value="${escapeHtml(email)}">
${passwordField(words, { id: 'password', label: 'password.new', isNew: true, isFirst: true })}
<button>${words.html('accept.submit')}</button>
<p role="alert"></p>
</form>`;
}

function acceptWithAccount(words: Words, email: string, signedInAs: SignedInAs): string {
  const { html } = words;
  if (signedInAs === null)
    return `<p>${html('accept.hasAccount')}</p>
<a class="button" href="sign-in" data-with-return>${html('accept.signIn')}</a>`;
  if (signedInAs.toLowerCase() !== email.toLowerCase())
    return `<p>${html('accept.other', { email: signedInAs })}</p>
<form data-post="sign-out" data-reload>
<button>${html('accept.switch')}</button>
<p role="alert"></p>
</form>`;
  return `<form data-post="accept" data-ticket ${problems(words)}>
<button>${html('accept.submit')}</button>
<p role="alert"></p>
</form>`;
}

export type OwnInvitation = InvitationView & { slug: string };

/** The page on which a user with an account accepts invitations. There may be several. */
export function joinPage(words: Words, invitations: readonly OwnInvitation[]): Page {
  const { text, html } = words;
  const forms = invitations.map(
    (invitation) => `<form data-post="join" ${problems(words)}>
${aboutInvitation(words, invitation)}
<input type="hidden" name="partnerSlug" value="${escapeHtml(invitation.slug)}">
<button>${html('join.submit')}</button>
<p role="alert"></p>
</form>`,
  );
  const [only, ...others] = invitations;
  return {
    title: text('accept.title'),
    brand: others.length === 0 ? (only?.brand ?? null) : null,
    content: forms.join('\n<hr>\n'),
  };
}

/** For a visitor without a session: the page does not know the invitation. */
export function signInToJoinPage({ text, html }: Words): Page {
  const link = `<a class="button" href="idp/sign-in" data-with-return>${html('join.signIn')}</a>`;
  return { title: text('join.title'), content: `<p>${html('join.text')}</p>\n${link}` };
}

function aboutInvitation({ text, html }: Words, { brand, roles, invitedBy }: InvitationView, email?: string): string {
  const sentence = brand
    ? html('accept.byPartner', { partner: brand.name, platform: platformName })
    : html('accept.byPlatform', { platform: platformName });
  const facts: [TextKey, string | undefined][] = [
    ['accept.for', email],
    ['accept.organization', brand?.name],
    ['accept.role', roles.map((role) => roleName(text, role)).join(', ') || undefined],
    ['accept.from', invitedBy ?? undefined],
  ];
  const rows = facts.flatMap(([term, fact]) =>
    fact === undefined ? [] : [`<dt>${html(term)}</dt><dd>${escapeHtml(fact)}</dd>`],
  );
  return `<p>${sentence}</p>\n<dl class="facts">\n${rows.join('\n')}\n</dl>`;
}

const roleKeys: Readonly<Record<string, TextKey>> = {
  superadmin: 'role.superadmin',
  hubadmin: 'role.hubadmin',
  platformpaymentAdmin: 'role.platformpaymentAdmin',
  accountmanager: 'role.accountmanager',
  partneradmin: 'role.partneradmin',
  partnerstaff: 'role.partnerstaff',
};

function roleName(text: Words['text'], role: string): string {
  const key = roleKeys[role];
  return key === undefined ? role : text(key);
}

function problems({ text }: Words): string {
  const said = { 403: text('accept.notYours'), 409: text('accept.failed'), 410: text('accept.goneText') };
  return Object.entries(said)
    .map(([status, sentence]) => `data-problem-${status}="${escapeHtml(sentence)}"`)
    .join(' ');
}
