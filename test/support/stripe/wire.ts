/** Form bodies as Stripe encodes them: `a[b][c]=1`, `list[0]=x`, `list[]=x`. */
export type Form = { [name: string]: string | Form | (string | Form)[] };

export function parseForm(text: string): Form {
  const form: Form = {};
  for (const [key, value] of new URLSearchParams(text)) {
    place(form, key.replaceAll(']', '').split('['), value);
  }
  return form;
}

function place(into: Form, [name = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) into[name] = value;
  else if (/^\d*$/.test(rest[0] ?? ''))
    // no request contains anything deeper than a list of strings
    into[name] = [...((into[name] as string[] | undefined) ?? []), value];
  else place((into[name] ??= {}) as Form, rest, value); // created here, so it is a form
}

/** An error as Stripe returns it: type, code, message, and the parameter. */
export interface StripeErrorBody {
  type: 'card_error' | 'invalid_request_error' | 'api_error' | 'idempotency_error' | 'rate_limit_error';
  message: string;
  code?: string;
  decline_code?: string;
  advice_code?: string;
  param?: string;
  charge?: string;
  payment_intent?: object;
}

/** Ends a request with an error. `beforeWork`: nothing was executed, so that no idempotency key stores it. */
export class StripeFault extends Error {
  readonly status: number;
  readonly body: StripeErrorBody;
  readonly beforeWork: boolean;

  constructor(status: number, body: StripeErrorBody, beforeWork = false) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.beforeWork = beforeWork;
  }
}

export function badRequest(message: string, more: Partial<StripeErrorBody> = {}): StripeFault {
  return new StripeFault(400, { type: 'invalid_request_error', message, ...more });
}

/** A parameter that is missing or wrong is rejected before anything is executed. */
export function badParameter(param: string, message: string): StripeFault {
  return new StripeFault(400, { type: 'invalid_request_error', message, param, code: 'parameter_invalid' }, true);
}

export function missing(kind: string, id: string): StripeFault {
  return new StripeFault(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param: 'id',
  });
}

export function textOf(form: Form, name: string): string | undefined {
  const value = form[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function needed(form: Form, name: string): string {
  const value = textOf(form, name);
  if (value === undefined)
    throw new StripeFault(
      400,
      {
        type: 'invalid_request_error',
        code: 'parameter_missing',
        message: `Missing required param: ${name}.`,
        param: name,
      },
      true,
    );
  return value;
}

export function amountOf(form: Form, name: string): number | undefined {
  const text = textOf(form, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw badParameter(name, 'Invalid integer');
  return Number(text);
}

/** The parameters a request may contain; Stripe rejects others. */
export function known(form: Form, names: readonly string[]): void {
  for (const name of Object.keys(form))
    if (!names.includes(name))
      throw new StripeFault(
        400,
        {
          type: 'invalid_request_error',
          code: 'parameter_unknown',
          message: `Received unknown parameter: ${name}`,
          param: name,
        },
        true,
      );
}
