import { escapeHtml } from '../../../src/lib/text.ts';
import type { IdpSession, IdpUser, ListedSession } from '../../../src/ports/identity-provider.ts';
import type { Words } from '../../../src/theme/words.ts';
import { lengthProblem, passwordField } from '../frame/forms.ts';
import type { Page } from './sign-in-pages.ts';

export interface OwnAccountView {
  user: IdpUser;
  session: IdpSession;
  sessions: readonly ListedSession[];
  /** Whether the user must first set up a second factor. */
  mustEnroll: boolean;
}

export function accountPage(words: Words, { user, session, sessions, mustEnroll }: OwnAccountView): Page {
  const { text, html } = words;
  return {
    title: text('account.title'),
    isWide: true,
    content: `<p>${html('account.signedInAs', { email: user.email })}</p>
${mustEnroll ? `<p role="status">${html('account.mustEnroll')}</p>` : ''}
<section><h2>${html('account.factor')}</h2>
${session.hasSecondFactor ? secondFactorOn(words) : secondFactorOff(words)}
</section>
<section><h2>${html('account.password')}</h2>
<form data-post="account/password" data-wrong-password="${escapeHtml(text('password.wrong'))}"
  ${lengthProblem(words, 'newPassword')}>
${passwordField(words, { id: 'password', label: 'account.yourPassword', isNew: false })}
${passwordField(words, { id: 'newPassword', name: 'newPassword', label: 'account.newPassword', isNew: true })}
<button>${html('account.change')}</button>
<p role="alert"></p>
</form>
<p class="soft">${html('account.otherSessionsEnd')}</p>
</section>
<section><h2>${html('account.sessions')}</h2>
${sessions.map((listed) => sessionItem(words, listed, session.sessionId)).join('\n')}
<div class="acts">
<form data-post="account/sessions/end"><button class="plain">${html('account.endOthers')}</button>
<p role="alert"></p></form>
<form data-post="sign-out" data-then="sign-in"><button class="plain">${html('account.signOut')}</button>
<p role="alert"></p></form>
</div>
</section>`,
  };
}

const codeField = '<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>';

function backupCodes({ html }: Words): string {
  return `<p>${html('account.codes')}</p>
<pre data-value="backupCodes"></pre>`;
}

function secondFactorOff(words: Words): string {
  const { text, html } = words;
  return `<form data-post="account/second-factor" data-reveal="setup"
  data-wrong-password="${escapeHtml(text('password.wrong'))}">
<p>${html('account.factorOff')}</p>
${passwordField(words, { id: 'factorPassword', label: 'account.yourPassword', isNew: false })}
<button>${html('account.setUp')}</button>
<p role="alert"></p>
</form>
<div id="setup" hidden>
<p>${html('account.enterKey')}</p>
<pre data-value="setupKey"></pre>
${backupCodes(words)}
<form data-post="account/second-factor/confirm" data-wrong-code="${escapeHtml(text('account.codeWrong'))}">
<label for="code">${html('account.codeLabel')}</label>
${codeField}
<button>${html('account.confirm')}</button>
<p role="alert"></p>
</form>
</div>`;
}

function secondFactorOn(words: Words): string {
  const { text, html } = words;
  const wrong = `data-wrong-password="${escapeHtml(text('password.wrong'))}"`;
  return `<p>${html('account.factorOn')} <a href="second-factor?redirect=${encodeURIComponent('/idp/account')}">${html('account.verifyFirst')}</a></p>
<form data-post="account/backup-codes" data-reveal="codes" ${wrong}>
${passwordField(words, { id: 'codesPassword', label: 'account.yourPassword', isNew: false })}
<button class="plain">${html('account.newCodes')}</button>
<p role="alert"></p>
</form>
<div id="codes" hidden>
${backupCodes(words)}
</div>
<form data-post="account/second-factor/remove" ${wrong}>
${passwordField(words, { id: 'removePassword', label: 'account.yourPassword', isNew: false })}
<button class="plain">${html('account.remove')}</button>
<p role="alert"></p>
</form>`;
}

function sessionItem(
  { text, html, date }: Words,
  { id, createdAt, ipAddress, userAgent }: ListedSession,
  presentId: string,
): string {
  const end =
    id === presentId
      ? `<p>${html('account.thisSession')}</p>`
      : `<form data-post="account/sessions/end">
<input type="hidden" name="sessionId" value="${escapeHtml(id)}">
<button class="plain">${html('account.endSession')}</button>
<p role="alert"></p>
</form>`;
  const address = ipAddress ?? text('account.unknownAddress');
  return `<article>
<p>${escapeHtml(userAgent ?? text('account.unknownBrowser'))}</p>
<p class="soft">${html('account.session', { address, date: date(createdAt) })}</p>
${end}
</article>`;
}
