import { type InputIssue, InvalidInput } from '../../src/kit/errors.ts';

const emailPattern =
  /^[^\s@<>"(),:;[\]\\]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/;

/** Reads the fields of a form and collects the issues. No message repeats a value that was sent. */
export class CheckoutForm {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #issues: InputIssue[] = [];

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
    const value = this.#fields[name];
    if (typeof value === 'string' && value.length > 254)
      this.#issues.push({ path: name, message: 'must have at most 254 characters' });
    return this.#text(name, emailPattern, 'must be an e-mail address');
  }

  /** Checks only the types of the fields of a card. The card itself is checked when it is tokenized. */
  card(): { cardNumber: string; expMonth: number; expYear: number; cvc: string; cardholderName: string | null } {
    const name = this.#fields['cardholderName'];
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

  checked<Form>(form: Form): Form {
    if (this.#issues.length > 0) throw new InvalidInput(this.#issues);
    return form;
  }

  #text(name: string, pattern: RegExp, message: string): string {
    const value = this.#fields[name];
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.#issues.push({ path: name, message: value == null || value === '' ? 'is required' : message });
    return '';
  }

  #number(name: string): number {
    const value = this.#fields[name];
    if (typeof value === 'number' && Number.isInteger(value)) return value;
    this.#issues.push({ path: name, message: value == null ? 'is required' : 'must be a whole number' });
    return 0;
  }
}
