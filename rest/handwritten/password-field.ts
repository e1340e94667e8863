import { escapeHtml } from '../../src/kit/html.ts';
import { passwordLengthMax, passwordLengthMin } from '../../src/kit/password-bounds.ts';
import type { TextKey, Words } from '../../src/look/words.ts';

interface PasswordField {
  id: string;
  name?: string;
  label: TextKey;
  /** Whether a password is chosen rather than repeated. */
  isNew: boolean;
  isFirst?: boolean;
}

/** A field for a password, with a button that shows what is entered. The script of the page makes the button work. */
export function passwordField(
  { html }: Words,
  { id, name = 'password', label, isNew, isFirst }: PasswordField,
): string {
  const rule = isNew
    ? `autocomplete="new-password" minlength="${passwordLengthMin}" aria-describedby="${id}-hint"`
    : 'autocomplete="current-password"';
  const hint = `<p class="hint" id="${id}-hint">${html('password.length', { min: String(passwordLengthMin) })}</p>`;
  return `<label for="${id}">${html(label)}</label>
<div class="secret"><input id="${id}" name="${name}" type="password" ${rule} required${isFirst ? ' autofocus' : ''}>
<button type="button" data-shows="${id}" aria-pressed="false" hidden>${html('password.show')}</button></div>
${isNew ? hint : ''}`;
}

/** What a form says of a password that the server refuses: a new one that has not the length. */
export function lengthProblem({ text }: Words, name: string): string {
  const said = text('password.tooShort', { min: String(passwordLengthMin), max: String(passwordLengthMax) });
  return `data-wrong-${name}="${escapeHtml(said)}"`;
}
