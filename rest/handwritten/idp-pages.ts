import type { Response } from 'express';
import { escapeHtml } from '../../src/kit/html.ts';
import { passwordLengthMin } from '../../src/kit/password-bounds.ts';
import type { OpenInvitation } from '../../src/ports/invitation-tickets.ts';
import type { SavedMail } from '../../src/ports/mailer.ts';
import type { Config } from '../../src/runtime/config.ts';

const style = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f4f5f7; color: #1b1f24 }
main { max-width: 26rem; margin: 10vh auto; background: #fff; border-radius: 12px; box-shadow: 0 1px 3px #0002;
  padding: 2rem }
main.wide { max-width: 48rem; margin: 2rem auto }
h1 { font-size: 1.25rem; margin: 0 0 1rem }
h2 { font-size: 1.05rem; margin: .25rem 0 }
label { display: block; margin: .75rem 0 .25rem }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; border: 1px solid #c4cad3;
  border-radius: 6px }
button { font: inherit; margin-top: 1.25rem; width: 100%; padding: .6rem; border-radius: 8px; border: 0;
  background: #1a56db; color: #fff; cursor: pointer }
button.plain { background: #fff; color: #1a56db; border: 1px solid #c4cad3; margin-top: .75rem }
section { border-top: 1px solid #e3e7ed; margin-top: 1.5rem; padding-top: 1rem }
[role=alert] { color: #b42318; min-height: 1.5em }
article { border-top: 1px solid #e3e7ed; padding: 1rem 0 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f5f7; padding: .5rem; border-radius: 6px }
`;

/** The pages may load from and send to this server only, because their URL contains the ticket of an invitation. */
const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'self'; connect-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

export interface Page {
  /** The heading of the page, and its title in the browser. */
  title: string;
  content: string;
  wide?: boolean;
}

export function sendPage(response: Response, { title, content, wide }: Page, script = 'page.js'): void {
  response
    .set({
      'Content-Security-Policy': contentPolicy,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    .type('html')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)} · Partner Payments Platform</title>
<style>${style}</style>
</head>
<body>
<main${wide ? ' class="wide"' : ''}>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
<script src="${script}"></script>
</body>
</html>
`);
}

export function signInPage(then: string): Page {
  const content = `<form data-post="sign-in/email" data-then="${escapeHtml(then)}">
<input type="hidden" name="redirect" value="${escapeHtml(then)}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
<p role="alert"></p>
</form>
<p><a href="forgot-password">Forgot your password?</a></p>`;
  return { title: 'Sign in', content };
}

/** The sign-in page for a person who is signed in. */
export function signedInPage(email: string, then: string): Page {
  const content = `<p>As <strong>${escapeHtml(email)}</strong>.</p>
<p><a href="${escapeHtml(then)}">Continue</a> · <a href="account">Your account</a> · <a href="../">Home</a></p>
<form data-post="sign-out" data-then="sign-in?redirect=${encodeURIComponent(then)}">
<button class="plain">Sign out, to sign in as somebody else</button>
<p role="alert"></p>
</form>`;
  return { title: 'You are signed in', content };
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

export function acceptPage(invitation: OpenInvitation | null): Page {
  if (!invitation)
    return {
      title: 'This invitation is no longer open',
      content: '<p>It was used or revoked, or its seven days are over. Ask for a new one.</p>',
    };
  const { email, hasAccount } = invitation;
  const signInFirst = `<p>You have an account under this e-mail.
<a href="sign-in" data-with-return>Sign in</a> with it first, then accept.</p>`;
  const choosePassword = `<input type="hidden" autocomplete="username" value="${escapeHtml(email)}">
<label for="password">Choose a password of ${passwordLengthMin} characters or more</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}"
  required autofocus>`;
  const content = `<p>For <strong>${escapeHtml(email)}</strong>.</p>
${hasAccount ? signInFirst : ''}
<form data-post="accept" data-ticket>
${hasAccount ? '' : choosePassword}
<button>Accept</button>
<p role="alert"></p>
</form>`;
  return { title: 'Accept the invitation', content };
}

/** The page to which an accepted invitation redirects, and where a user who has an account already accepts one. */
export function joinPage(partners: readonly { slug: string; name: string }[] | null, signsInHere: boolean): Page {
  if (partners === null) {
    const signIn = signsInHere ? '<a href="idp/sign-in" data-with-return>Sign in</a>' : 'Sign in';
    return {
      title: 'Sign in to continue',
      content: `<p>${signIn} with the e-mail the invitation went to, then open this page again.</p>`,
    };
  }
  const forms = partners.map(
    ({ slug, name }) => `<form data-post="join">
<p><strong>${escapeHtml(name)}</strong> invites you to work with them.</p>
<input type="hidden" name="partnerSlug" value="${escapeHtml(slug)}">
<button>Accept the invitation</button>
<p role="alert"></p>
</form>`,
  );
  return { title: 'Accept the invitation', content: forms.join('\n') };
}

export function mailPage(mails: readonly SavedMail[]): Page {
  const articles = mails.map(
    ({ at, to, subject, text }) => `<article>
<h2>${escapeHtml(subject)}</h2>
<p>${escapeHtml(at)} to ${escapeHtml(to)}</p>
<pre>${withLinks(text)}</pre>
</article>`,
  );
  return {
    title: 'Mail',
    content: `<p>Without SMTP_URL mail is stored here and not sent.</p>
${articles.join('\n') || '<p>There is none.</p>'}`,
    wide: true,
  };
}

function withLinks(text: string): string {
  return escapeHtml(text).replace(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`);
}

/** Forms are sent as JSON, which a page of another site cannot send with the cookie of this one. */
export const pageScript = `function reveal(form, answer) {
  const part = document.getElementById(form.dataset.reveal);
  for (const slot of part.querySelectorAll('[data-value]')) {
    const value = [answer[slot.dataset.value]].flat().join('\\n');
    if (slot.tagName === 'A') slot.href = value;
    else slot.textContent = value;
  }
  form.hidden = true;
  part.hidden = false;
}
for (const link of document.querySelectorAll('[data-with-return]'))
  link.href += '?redirect=' + encodeURIComponent(location.pathname + location.search);
for (const form of document.querySelectorAll('form[data-post]')) form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  const alert = form.querySelector('[role=alert]');
  const body = Object.fromEntries(new FormData(form));
  for (const name of ['ticket', 'token'])
    if (name in form.dataset) body[name] = new URLSearchParams(location.search).get(name);
  button.disabled = true;
  alert.textContent = '';
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(form.dataset.post, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (response.ok && form.dataset.reveal) return reveal(form, answer);
    if (response.ok) return location.assign(answer.redirectUrl || form.dataset.then || '../');
    alert.textContent = answer.message;
  } catch {
    alert.textContent = 'The server could not be reached.';
  }
  button.disabled = false;
});
`;
