import { escapeHtml } from '../../../src/lib/text.ts';
import type { SavedMail } from '../../../src/ports/mailer.ts';
import type { Config } from '../../../src/settings/config.ts';
import type { Words } from '../../../src/theme/words.ts';
import { lengthProblem, passwordField } from '../frame/forms.ts';
import type { SitePage } from '../frame/page.ts';

/**
 * A page of the identity provider. Its address contains a ticket or token, and its forms are sent only to this server.
 */
export type Page = Omit<SitePage, 'hasScript'>;

export function signInPage(words: Words, then: string): Page {
  const { text, html } = words;
  const content = `<form data-post="sign-in/email" data-then="${escapeHtml(then)}"
  data-problem-401="${escapeHtml(text('signIn.wrong'))}">
<input type="hidden" name="redirect" value="${escapeHtml(then)}">
<label for="email">${html('signIn.email')}</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
${passwordField(words, { id: 'password', label: 'signIn.password', isNew: false })}
<button>${html('signIn.submit')}</button>
<p role="alert"></p>
</form>
<p><a href="forgot-password">${html('signIn.forgot')}</a></p>`;
  return { title: text('signIn.title'), content };
}

/** The sign-in page for a signed-in user. */
export function signedInPage({ text, html }: Words, email: string, then: string): Page {
  const content = `<p>${html('signIn.as', { email })}</p>
<p><a href="${escapeHtml(then)}">${html('signIn.continue')}</a> · <a href="account">${html('signIn.account')}</a> ·
<a href="../">${html('signIn.home')}</a></p>
<form data-post="sign-out" data-then="sign-in?redirect=${encodeURIComponent(then)}">
<button class="plain">${html('signIn.switch')}</button>
<p role="alert"></p>
</form>`;
  return { title: text('signIn.isTitle'), content };
}

/** The page after sign-in, from the root of the server: it says to people without a role who can give them one. */
export const landing = 'console/';

/** A path of this server. Any other value would let a link redirect a user who has just signed in to another site. */
export function ownPath(redirect: unknown, { publicUrl }: Pick<Config, 'publicUrl'>): string {
  const otherwise = `../${landing}`;
  if (typeof redirect !== 'string' || !redirect.startsWith('/') || !URL.canParse(redirect, publicUrl)) return otherwise;
  const { origin, pathname, search } = new URL(redirect, publicUrl);
  // A path with two leading slashes names another server, and dot segments can produce one.
  return origin === new URL(publicUrl).origin && !pathname.startsWith('//') ? `${pathname}${search}` : otherwise;
}

export function mailPage(mails: readonly SavedMail[]): Page {
  const articles = mails.map(
    ({ at, to, subject, text }) => `<section>
<h2>${escapeHtml(subject)}</h2>
<p class="soft">${escapeHtml(at)} to ${escapeHtml(to)}</p>
<pre>${withLinks(text)}</pre>
</section>`,
  );
  return {
    title: 'Mail',
    content: `<p>Without SMTP_URL, emails are stored here and not sent.</p>
${articles.join('\n') || '<p>No emails.</p>'}`,
    isWide: true,
    isEnglishOnly: true,
  };
}

function withLinks(text: string): string {
  return escapeHtml(text).replace(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`);
}

export function forgotPasswordPage({ text, html }: Words): Page {
  return {
    title: text('forgot.title'),
    content: `<p>${html('forgot.text')}</p>
<form data-post="forgot-password" data-reveal="sent">
<label for="email">${html('signIn.email')}</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<button>${html('forgot.submit')}</button>
<p role="alert"></p>
</form>
<p id="sent" role="status" hidden>${html('forgot.sent')}</p>
<p><a href="sign-in">${html('forgot.back')}</a></p>`,
  };
}

export function resetPasswordPage(words: Words, isOpen: boolean): Page {
  const { text, html } = words;
  if (!isOpen)
    return {
      title: text('reset.gone'),
      content: `<p>${html('reset.goneText')} <a href="forgot-password">${html('reset.again')}</a></p>`,
    };
  return {
    title: text('reset.title'),
    content: `<form data-post="reset-password" data-token
  data-problem-410="${escapeHtml(`${text('reset.gone')}: ${text('reset.goneText')}`)}" ${lengthProblem(words, 'password')}>
${passwordField(words, { id: 'password', label: 'reset.label', isNew: true, isFirst: true })}
<button>${html('reset.submit')}</button>
<p role="alert"></p>
</form>
<p class="soft">${html('reset.note')}</p>`,
  };
}

/** The page of the second step of a sign-in, or on which a signed-in user verifies the second factor again. */
export function codePage({ text, html }: Words, then: string, isSignIn = true): Page {
  const [post, wrong] = isSignIn
    ? (['sign-in/code', 'code.wrong'] as const)
    : (['second-factor', 'again.wrong'] as const);
  return {
    title: text('code.title'),
    content: `${isSignIn ? '' : `<p>${html('again.text')}</p>`}
<form data-post="${post}" data-then="${escapeHtml(then)}"
  data-problem-401="${escapeHtml(text(wrong))}">
<label for="code">${html('code.label')}</label>
<input id="code" name="code" autocomplete="one-time-code" required autofocus>
<button>${html(isSignIn ? 'signIn.submit' : 'account.confirm')}</button>
<p role="alert"></p>
</form>
<p class="soft">${html('code.lost')}</p>`,
  };
}

/** The same for a provider on another site, which asks for a second factor only when it signs a user in. */
export function signInAgainPage({ text, html }: Words, then: string): Page {
  return {
    title: text('code.title'),
    content: `<p>${html('again.text')}</p>
<p>${html('again.provider')}</p>
<form data-post="sign-out" data-then="sign-in?redirect=${encodeURIComponent(then)}">
<button>${html('again.signIn')}</button>
<p role="alert"></p>
</form>
<p class="soft"><a href="account">${html('again.setUp')}</a></p>`,
  };
}
