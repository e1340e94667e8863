import { escapeHtml } from '../../src/kit/html.ts';
import type { Words } from '../../src/look/words.ts';
import type { SavedMail } from '../../src/ports/mailer.ts';
import type { Config } from '../../src/runtime/config.ts';
import type { SitePage } from '../site/page.ts';
import { passwordField } from './password-field.ts';

/** A page of the identity provider. Its address contains a ticket or token, and it sends to this server only. */
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

/** The sign-in page for a person who is signed in. */
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

/** Where a person goes who has signed in, from the root of the server: GraphiQL, or the home page where that is off. */
export function landingOf({ graphiql }: Pick<Config, 'graphiql'>): 'graphql' | '' {
  return graphiql ? 'graphql' : '';
}

/** A path of this server; any other value would let a link redirect a user who has just signed in to another site. */
export function ownPath(redirect: unknown, config: Pick<Config, 'publicUrl' | 'graphiql'>): string {
  const otherwise = `../${landingOf(config)}`;
  const { publicUrl } = config;
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
    content: `<p>Without SMTP_URL mail is stored here and not sent.</p>
${articles.join('\n') || '<p>There is none.</p>'}`,
    isWide: true,
    isEnglishOnly: true,
  };
}

function withLinks(text: string): string {
  return escapeHtml(text).replace(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`);
}
