import type { Request, RequestHandler, Response } from 'express';
import type { Client } from '../../../src/adapters/embedded-idp/engine-calls.ts';
import { unknownFieldIssues } from '../../../src/graph/input/check.ts';
import { emailPattern } from '../../../src/graph/scalars/texts.ts';
import { assertOwnOrigin, deviceCookie, knownDevice } from '../../../src/iam/public.ts';
import { type InputIssue, InvalidInput, invalid } from '../../../src/lib/errors.ts';
import { escapeHtml, storable } from '../../../src/lib/text.ts';
import { passwordLengthMax, passwordLengthMin } from '../../../src/ports/identity-provider.ts';
import type { Services } from '../../../src/services.ts';
import type { TextKey, Words } from '../../../src/theme/words.ts';
import { isForm, readBody, readFields } from '../../engine/body.ts';
import { cookieNamed } from '../../engine/reader.ts';
import { sendJson } from '../../engine/respond.ts';

/** Reads the fields of a form and collects the issues. No message repeats a value of the client. */
export class CheckoutForm {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #issues: InputIssue[] = [];
  /** The fields that were asked for. */
  readonly #known = new Set<string>();

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  handle(name: string): string {
    return this.#text(name, /^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -');
  }

  secret(name: string): string {
    return this.#text(name, /^[A-Za-z0-9_-]{1,200}$/, 'must be a client secret');
  }

  email(name: string): string {
    const value = this.#valueOf(name);
    if (typeof value === 'string' && value.length > 254)
      this.#issues.push({ path: name, message: 'must have at most 254 characters' });
    return this.#text(name, emailPattern, 'must be an email address');
  }

  /** Checks only the types of a card's fields. The card itself is checked when it is tokenized. */
  card(): { cardNumber: string; expMonth: number; expYear: number; cvc: string; cardholderName: string | null } {
    const name = this.#valueOf('cardholderName');
    if (name != null && typeof name !== 'string')
      this.#issues.push({ path: 'cardholderName', message: 'must be a text' });
    return {
      cardNumber: this.#text('cardNumber', /^[0-9 ]{1,40}$/, 'must be a card number'),
      expMonth: this.#number('expMonth'),
      expYear: this.#number('expYear'),
      cvc: this.#text('cvc', /^[0-9]{1,10}$/, 'must be the 3 or 4 digits on the card'),
      cardholderName: typeof name === 'string' ? name : null,
    };
  }

  /** The form with the fields that were read. Any other field is an issue: a misspelled one must not be ignored. */
  checked<Form>(form: Form): Form {
    const issues = [...this.#issues, ...unknownFieldIssues(this.#fields, this.#known)];
    if (issues.length > 0) throw new InvalidInput(issues);
    return form;
  }

  #valueOf(name: string): unknown {
    this.#known.add(name);
    return this.#fields[name];
  }

  #text(name: string, pattern: RegExp, message: string): string {
    const value = this.#valueOf(name);
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.#issues.push({ path: name, message: value == null || value === '' ? 'is required' : message });
    return '';
  }

  #number(name: string): number {
    const value = this.#valueOf(name);
    if (typeof value === 'number' && Number.isInteger(value)) return value;
    this.#issues.push({ path: name, message: value == null ? 'is required' : 'must be a whole number' });
    return 0;
  }
}

const bodyBytesMax = 16 * 1024;

/** A handler that answers with JSON. */
export function answer(work: (request: Request, response: Response) => Promise<unknown>): RequestHandler {
  return async (request, response) => sendJson(request, response, 200, await work(request, response));
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a form. Any that is not known is an issue: a misspelled one must not be ignored. */
export function onlyFields<Sent extends Fields>(fields: Sent, known: readonly string[]): Sent {
  const issues = unknownFieldIssues(fields, new Set(known));
  if (issues.length > 0) throw new InvalidInput(issues);
  return fields;
}

/** Accepts JSON from the platform's own pages only, so that another site cannot sign a user in or out. */
export async function readForm(services: Services, request: Request, known: readonly string[]): Promise<Fields> {
  assertOwnOrigin(services.config, request.headers.origin);
  return onlyFields(await readBody(services, request, bodyBytesMax), known);
}

/** Reads a form that works without a script, as the browser sends it. */
export async function readPlainForm(
  services: Services,
  request: Request,
  bytesMax: number,
  known: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const sent = await readFields(services, request, bytesMax);
  const issues = [...new Set(sent.keys())]
    .filter((name) => known.includes(name) && sent.getAll(name).length > 1)
    .map((path) => ({ path, message: 'is sent more than once in one form' }));
  if (issues.length > 0) throw new InvalidInput(issues);
  return onlyFields(Object.fromEntries(sent), known);
}

/** Reads a form that works without a script, or the same fields as JSON from a script. */
export async function readAnyForm(
  services: Services,
  request: Request,
  bytesMax: number,
  known: readonly string[],
): Promise<Fields> {
  if (isForm(request)) return readPlainForm(services, request, bytesMax, known);
  return onlyFields(await readBody(services, request, bytesMax), known);
}

export function textOf(body: Fields, name: string, lengthMax: number): string {
  const value = body[name];
  if (typeof value !== 'string' || value.trim() === '') throw invalid(name, 'is required: a text');
  if (value.length > lengthMax) throw invalid(name, `must have at most ${lengthMax} characters`);
  if (!storable(value)) throw invalid(name, 'must not contain the character 0');
  return value;
}

/** A code of an authenticator app, or a backup code, without the spaces that apps show. */
export function codeOf(body: Fields): string {
  return textOf(body, 'code', 40).replaceAll(/\s/g, '');
}

/** A new password, or null if none is given: a user with an account gives none. */
export function passwordOf(body: Fields, name = 'password'): string | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value.length >= passwordLengthMin && value.length <= passwordLengthMax) return value;
  throw new InvalidInput([
    { path: name, message: `must be a text of ${passwordLengthMin} to ${passwordLengthMax} characters` },
  ]);
}

export function newPasswordOf(body: Fields, name: string): string {
  const password = passwordOf(body, name);
  if (password === null) throw invalid(name, 'is required: a text');
  return password;
}

export function clientOf(request: Request): Client & { cookie: string } {
  const { cookie = '', 'user-agent': userAgent = '' } = request.headers;
  return { ip: request.ip ?? '', userAgent, cookie };
}

/** The identifier of this browser, if the user of an email address has signed in there. */
export function deviceOf(services: Services, request: Request, email: string): string | null {
  return knownDevice(services, cookieNamed(request, deviceCookie(services)), email);
}

interface PasswordField {
  id: string;
  name?: string;
  label: TextKey;
  /** Whether a new password is chosen rather than the current one entered. */
  isNew: boolean;
  isFirst?: boolean;
}

/** A field for a password, with a button that shows the entered text, by the script of the page. */
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

/** The message of a form for a new password of the wrong length. */
export function lengthProblem({ text }: Words, name: string): string {
  const said = text('password.tooShort', { min: String(passwordLengthMin), max: String(passwordLengthMax) });
  return `data-wrong-${name}="${escapeHtml(said)}"`;
}
