import type { Caller } from '../../src/auth/caller.ts';
import type { NotedResult } from '../../src/graph/yoga.ts';
import type { Exchange } from './exchange.ts';

/** What the access log says of the caller. */
export function noteCaller(exchange: Exchange, caller: Caller): void {
  if ('keyPrefix' in caller) exchange.keyPrefix = caller.keyPrefix;
  if ('platformAccountId' in caller) exchange.outcome.platformAccountId = caller.platformAccountId;
  if ('userId' in caller) exchange.outcome.userId = caller.userId;
}

/** What the access log says of an answer: the payment in it, its status, and the code of a decline. */
export function noteAnswer({ outcome }: Exchange, answer: unknown): void {
  const payment = paymentIn(answer);
  if (!payment) return;
  outcome.paymentId = payment.id;
  outcome.outcome = payment.status;
  const { failureCode, platformAccountId } = payment;
  if (isOf(/^[a-z_]{1,60}$/, failureCode)) outcome.code = failureCode;
  if (isOf(/^tpa_[0-9A-Za-z]{1,40}$/, platformAccountId)) outcome.platformAccountId = platformAccountId;
}

/** The same of a result of GraphQL: its payment, or the code of its first error. */
export function noteResult(exchange: Exchange, { data, errors }: NotedResult): void {
  noteAnswer(exchange, data);
  const code = errors?.[0]?.extensions?.['code'];
  if (typeof code === 'string') exchange.outcome.code = code;
}

interface ShownPayment {
  id: string;
  status: string;
  failureCode?: unknown;
  platformAccountId?: unknown;
}

/** The answer itself, its field `payment`, or that of a root field of GraphQL. */
function paymentIn(answer: unknown, depth = 2): ShownPayment | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined;
  if (isPayment(answer)) return answer;
  if (depth === 0) return undefined;
  for (const value of Object.values(answer)) {
    const found = paymentIn(value, depth - 1);
    if (found) return found;
  }
  return undefined;
}

/** A client of GraphQL may give a field any name, so only values of the platform's forms are logged. */
function isPayment(value: object): value is ShownPayment {
  return (
    'id' in value &&
    isOf(/^pay_[0-9A-Za-z]{1,40}$/, value.id) &&
    'status' in value &&
    isOf(/^[a-z_]{1,40}$/, value.status)
  );
}

function isOf(form: RegExp, value: unknown): value is string {
  return typeof value === 'string' && form.test(value);
}
