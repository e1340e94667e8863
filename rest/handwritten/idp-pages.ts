import type { Response } from 'express';
import type { OpenInvitation } from '../../src/idp/invitations.ts';
import { passwordLengthMin } from '../../src/idp/engine.ts';
import type { KeptMail } from '../../src/mail/file-mailer.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f4f5f7;color:#1b1f24}main{max-width:26rem;margin:10vh auto;background:#fff;border-radius:12px;box-shadow:0 1px 3px #0002;padding:2rem}
main.wide{max-width:48rem;margin:2rem auto}h1{font-size:1.25rem;margin:0 0 1rem}h2{font-size:1.05rem;margin:.25rem 0}label{display:block;margin:.75rem 0 .25rem}input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;border:1px solid #c4cad3;border-radius:6px}
button{font:inherit;margin-top:1.25rem;width:100%;padding:.6rem;border-radius:8px;border:0;background:#1a56db;color:#fff;cursor:pointer}[role=alert]{color:#b42318;min-height:1.5em}article{border-top:1px solid #e3e7ed;padding:1rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere}`;

/** The pages reach this server alone, and nothing of theirs goes anywhere: a ticket stands in the address. */
const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

export interface Page {
  /** What the page is for: its heading, and its name in the browser's history. */
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
    .type('html');
  response.send(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>${escape(title)} · Partner Payments Platform</title><style>${style}</style></head><body><main${wide ? ' class="wide"' : ''}><h1>${escape(title)}</h1>${content}</main><script src="${script}"></script></body></html>`,
  );
}

export function signInPage(redirect: unknown, publicUrl: string): Page {
  const content = `<form data-post="sign-in/email" data-then="${escape(ownPath(redirect, publicUrl))}">
<label for="email">E-mail</label><input id="email" name="email" type="email" autocomplete="username" required autofocus>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button><p role="alert"></p></form>`;
  return { title: 'Sign in', content };
}

export function acceptPage(invitation: OpenInvitation | null): Page {
  if (!invitation)
    return {
      title: 'This invitation is no longer open',
      content: '<p>It was used or revoked, or its seven days are over. Ask for a new one.</p>',
    };
  const { email, hasAccount } = invitation;
  const password = `<label for="password">Choose a password of ${passwordLengthMin} characters or more</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required autofocus>`;
  const signIn =
    '<p>You have an account under this e-mail. <a href="sign-in" data-with-return>Sign in</a> with it first, then accept.</p>';
  const content = `<p>For <strong>${escape(email)}</strong>.</p>${hasAccount ? signIn : ''}
<form data-post="accept" data-ticket>${hasAccount ? '' : `<input type="hidden" autocomplete="username" value="${escape(email)}">${password}`}<button>Accept</button><p role="alert"></p></form>`;
  return { title: 'Accept the invitation', content };
}

/** Where an accepted invitation leads, and where somebody who has an account already accepts one. */
export function joinPage(partners: readonly { slug: string; name: string }[] | null, signsInHere: boolean): Page {
  if (partners === null) {
    const signIn = signsInHere ? '<a href="idp/sign-in" data-with-return>Sign in</a>' : 'Sign in';
    return {
      title: 'Sign in to go on',
      content: `<p>${signIn} with the e-mail the invitation went to, then open this page again.</p>`,
    };
  }
  const forms = partners.map(
    ({ slug, name }) =>
      `<form data-post="join"><p><strong>${escape(name)}</strong> invites you to work with them.</p><input type="hidden" name="partnerSlug" value="${escape(slug)}"><button>Accept the invitation</button><p role="alert"></p></form>`,
  );
  return { title: 'Accept the invitation', content: forms.join('') };
}

export function mailPage(mails: readonly KeptMail[]): Page {
  const articles = mails.map(
    ({ at, to, subject, text }) =>
      `<article><h2>${escape(subject)}</h2><p>${escape(at)} to ${escape(to)}</p><pre>${linked(text)}</pre></article>`,
  );
  return {
    title: 'Mail',
    content: `<p>Without SMTP_URL mail is kept here and reaches nobody.</p>${articles.join('') || '<p>There is none.</p>'}`,
    wide: true,
  };
}

/** Forms are sent as JSON, which no page of another site can do with our cookie. */
export const pageScript = `for (const link of document.querySelectorAll('[data-with-return]')) link.href += '?redirect=' + encodeURIComponent(location.pathname + location.search);
for (const form of document.querySelectorAll('form[data-post]')) form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  const alert = form.querySelector('[role=alert]');
  const body = Object.fromEntries(new FormData(form));
  if ('ticket' in form.dataset) body.ticket = new URLSearchParams(location.search).get('ticket');
  button.disabled = true;
  alert.textContent = '';
  try {
    const response = await fetch(form.dataset.post, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    const answer = await response.json();
    if (response.ok) return location.assign(form.dataset.then || answer.redirectUrl || '../graphql');
    alert.textContent = answer.message;
  } catch {
    alert.textContent = 'The server could not be reached.';
  }
  button.disabled = false;
});
`;

/** A path of this server; anything else would let a link send somebody who has just signed in wherever it likes. */
function ownPath(redirect: unknown, publicUrl: string): string {
  if (typeof redirect !== 'string' || !redirect.startsWith('/') || !URL.canParse(redirect, publicUrl))
    return '../graphql';
  const { origin, pathname, search } = new URL(redirect, publicUrl);
  // A path of two slashes names another server, and dots can make one of what did not look like it.
  return origin === new URL(publicUrl).origin && !pathname.startsWith('//') ? `${pathname}${search}` : '../graphql';
}

function linked(text: string): string {
  return escape(text).replace(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`);
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
