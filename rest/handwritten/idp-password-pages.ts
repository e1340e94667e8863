import { escapeHtml } from '../../src/kit/html.ts';
import type { Words } from '../../src/look/words.ts';
import type { Page } from './idp-pages.ts';
import { lengthProblem, passwordField } from './password-field.ts';

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

export function codePage({ text, html }: Words, then: string): Page {
  return {
    title: text('code.title'),
    content: `<form data-post="sign-in/code" data-then="${escapeHtml(then)}"
  data-problem-401="${escapeHtml(text('code.wrong'))}">
<label for="code">${html('code.label')}</label>
<input id="code" name="code" autocomplete="one-time-code" required autofocus>
<button>${html('signIn.submit')}</button>
<p role="alert"></p>
</form>
<p class="soft">${html('code.lost')}</p>`,
  };
}
