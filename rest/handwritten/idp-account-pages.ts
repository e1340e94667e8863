import { escapeHtml } from '../../src/kit/html.ts';
import { passwordLengthMin } from '../../src/kit/password-bounds.ts';
import type { IdpSession, IdpUser, ListedSession } from '../../src/ports/identity-provider.ts';
import type { Page } from './idp-pages.ts';

const newPassword = (name: string, label: string): string => `<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required>`;

const presentPassword = (id: string): string => `<label for="${id}">Your password</label>
<input id="${id}" name="password" type="password" autocomplete="current-password" required>`;

const codeField = `<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus>`;

export function forgotPasswordPage(): Page {
  return {
    title: 'Choose a new password',
    content: `<form data-post="forgot-password" data-reveal="sent">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<button>Send a link</button>
<p role="alert"></p>
</form>
<p id="sent" role="status" hidden>If there is an account under this e-mail, a link is on its way. It works once and for
one hour.</p>`,
  };
}

export function resetPasswordPage(isOpen: boolean): Page {
  if (!isOpen)
    return {
      title: 'This link is no longer open',
      content: '<p>It was used, or its hour is over. <a href="forgot-password">Ask for a new one</a>.</p>',
    };
  return {
    title: 'Choose a new password',
    content: `<form data-post="reset-password" data-token>
${newPassword('password', `A password of ${passwordLengthMin} characters or more`)}
<button>Change the password</button>
<p role="alert"></p>
</form>
<p>Every session of yours ends, and you sign in again.</p>`,
  };
}

export function codePage(then: string): Page {
  return {
    title: 'Second factor',
    content: `<form data-post="sign-in/code" data-then="${escapeHtml(then)}">
<label for="code">Code of your authenticator app, or a backup code</label>
${codeField.replace(' inputmode="numeric"', '')}
<button>Sign in</button>
<p role="alert"></p>
</form>
<p>Without the app and the backup codes, ask a superadmin to reset your second factor.</p>`,
  };
}

export interface OwnAccountView {
  user: IdpUser;
  session: IdpSession;
  sessions: readonly ListedSession[];
  /** Whether the person may do nothing else before a second factor is set up. */
  mustEnroll: boolean;
}

export function accountPage({ user, session, sessions, mustEnroll }: OwnAccountView): Page {
  const notice = mustEnroll
    ? `<p role="status"><strong>Your role needs a second factor.</strong> Until it is set up you can do nothing else.</p>`
    : '';
  return {
    title: 'Your account',
    content: `<p>Signed in as <strong>${escapeHtml(user.email)}</strong>.</p>
${notice}
<section><h2>Second factor</h2>
${session.hasSecondFactor ? secondFactorOn : secondFactorOff}
</section>
<section><h2>Password</h2>
<form data-post="account/password">
${presentPassword('password')}
${newPassword('newPassword', `New password of ${passwordLengthMin} characters or more`)}
<button>Change the password</button>
<p role="alert"></p>
</form>
<p>Your other sessions end.</p>
</section>
<section><h2>Sessions</h2>
${sessions.map((listed) => sessionItem(listed, session.sessionId)).join('\n')}
<form data-post="account/sessions/end"><button class="plain">End all other sessions</button><p role="alert"></p></form>
<form data-post="sign-out" data-then="sign-in"><button class="plain">Sign out</button><p role="alert"></p></form>
</section>`,
  };
}

const backupCodes = `<p>Store these backup codes; each works once, and they are shown only now.</p>
<pre data-value="backupCodes"></pre>`;

const secondFactorOff = `<form data-post="account/second-factor" data-reveal="setup">
<p>An authenticator app on your phone shows a code, which is asked for after your password.</p>
${presentPassword('factorPassword')}
<button>Set up a second factor</button>
<p role="alert"></p>
</form>
<div id="setup" hidden>
<p>Enter this key in your authenticator app, or <a data-value="uri">open the app</a> on this device.</p>
<pre data-value="setupKey"></pre>
${backupCodes}
<form data-post="account/second-factor/confirm">
<label for="code">Code that the app shows</label>
${codeField.replace(' autofocus', '')}
<button>Confirm</button>
<p role="alert"></p>
</form>
</div>`;

const secondFactorOn = `<p>It is set up. At sign-in a code is asked for after your password.</p>
<form data-post="account/backup-codes" data-reveal="codes">
${presentPassword('codesPassword')}
<button class="plain">Make new backup codes</button>
<p role="alert"></p>
</form>
<div id="codes" hidden>
${backupCodes}
</div>
<form data-post="account/second-factor/remove">
${presentPassword('removePassword')}
<button class="plain">Remove the second factor</button>
<p role="alert"></p>
</form>`;

function sessionItem({ id, createdAt, ipAddress, userAgent }: ListedSession, presentId: string): string {
  const end =
    id === presentId
      ? '<p>This session.</p>'
      : `<form data-post="account/sessions/end">
<input type="hidden" name="sessionId" value="${escapeHtml(id)}">
<button class="plain">End this session</button>
<p role="alert"></p>
</form>`;
  return `<article>
<p>${escapeHtml(userAgent ?? 'Unknown browser')}</p>
<p>${escapeHtml(ipAddress ?? 'Unknown address')}, since ${escapeHtml(createdAt.toISOString())}</p>
${end}
</article>`;
}
