import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from './config.ts';

export type Log = Logger;

/** One JSON object a line. Secrets and card numbers cannot get in: by name of the field, and by their look wherever they stand. */
export function createLog({
  level = 'info',
  destination,
}: {
  level?: LogLevel;
  destination?: DestinationStream;
} = {}): Log {
  const out = destination ?? gathered();
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: pino.stdSerializers.errWithCause },
    hooks: { streamWrite: scrub },
  };
  return pino(options, out);
}

const gatherBytes = 8 * 1024;
const gatherMs = 50;

/**
 * Standard output, many lines a write: a write of its own for every line was a tenth of a cheap request. What a kill -9 can
 * take with it is the last twentieth of a second of the log; every other end of the process writes what is left.
 */
function gathered(): DestinationStream {
  const out = pino.destination({ dest: 1, sync: true, minLength: gatherBytes });
  setInterval(() => out.flushSync(), gatherMs).unref();
  process.once('exit', () => out.flushSync());
  return out;
}

/** Anything that might be a secret or a card number. Nearly every line fails this one test, and is written as it is. */
const suspicious =
  /tp_sk_(?:partner_)?(?:live|test)_[0-9A-Za-z]{9}|\b[sr]k_(?:live|test)_|_secret_\w|whsec_|eyJ[\w-]{8}|ticket=|session_token=|postgres(?:ql)?:\/\/|\d(?:[ -]?\d){12}|"(?:authorization|cookie|set-cookie|password|secret|token|api-?key|card-?number|cvc|cvv|pan|jwt|[a-z]*(?:secret|token|password)|secretHash|(?:vault|fingerprint|private|signing)Keys?)\\?":/i;
/** By name, at any depth, and in JSON that stands as text inside the line. A list of values goes as a whole. */
const named =
  /(\\?"(?:authorization|cookie|set-cookie|password|secret|token|api-?key|card-?number|cvc|cvv|pan|jwt|[a-z]*(?:secret|token|password)|secretHash|(?:vault|fingerprint|private|signing)Keys?)\\?":\s*)(\\".*?\\"|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|-?[\d.]+)/gi;
const keySecret = /(tp_sk_(?:partner_)?(?:live|test)_[0-9A-Za-z]{8})[0-9A-Za-z]+/g;
/** Of processors: their keys, and what opens one payment to a browser. */
const processorSecret = /\b([sr]k_(?:live|test)|(?:pi|seti)_\w+?_secret)_\w+/g;
const signingSecret = /whsec_[A-Za-z0-9+/=_-]+/g;
const ticket = /(ticket|session_token)=[\w%.+/-]+/g;
const jsonWebToken = /eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;
const urlPassword = /(postgres(?:ql)?:\/\/[^:@/\s"]*):[^@/\s"]+@/g;
const digitRun = /\d(?:[ -]?\d){12,}/g;

/** Takes secrets and card numbers out of a finished line. Of a key its public prefix stays, by which support can find it. */
export function scrub(line: string): string {
  if (!suspicious.test(line)) return line;
  return line
    .replace(
      named,
      (_all, name: string, value: string) => `${name}${value.startsWith('\\') ? '\\"[redacted]\\"' : '"[redacted]"'}`,
    )
    .replace(keySecret, '$1[redacted]')
    .replace(processorSecret, '$1_[redacted]')
    .replace(signingSecret, 'whsec_[redacted]')
    .replace(jsonWebToken, '[redacted token]')
    .replace(ticket, '$1=[redacted]')
    .replace(urlPassword, '$1:[redacted]@')
    .replace(digitRun, scrubDigits);
}

/** A run may hold a card number beside other digits (`7 4242 4242 4242 4242`): every stretch of card length that begins and ends with a group is tried. */
function scrubDigits(run: string, offset: number, line: string): string {
  // After these signs the run may be a JSON number, which must stay one; nines are no card of anybody's.
  const bare = ':,[-.'.includes(line[offset - 1] ?? '');
  const at = [...run.matchAll(/\d/g)].map((match) => match.index);
  const digits = at.map((index) => run.charCodeAt(index) - 48);
  const begins = at.map((index, place) => place === 0 || at[place - 1] !== index - 1);
  let clean = '';
  let kept = 0;
  for (let start = 0; start + 13 <= digits.length; start++) {
    const length = begins[start] ? cardLengthAt(digits, begins, start) : 0;
    if (length === 0) continue;
    clean += `${run.slice(kept, at[start])}${bare ? '9'.repeat(length) : '[redacted card]'}`;
    kept = (at[start + length - 1] ?? 0) + 1;
    start += length - 1;
  }
  return clean + run.slice(kept);
}

/** How many digits from `start` on make a card number: the longest stretch that passes the check digit; else 0. */
function cardLengthAt(digits: readonly number[], begins: readonly boolean[], start: number): number {
  for (let length = Math.min(19, digits.length - start); length >= 13; length--) {
    const ends = start + length === digits.length || begins[start + length];
    if (ends && passesLuhn(digits, start, length)) return length;
  }
  return 0;
}

function passesLuhn(digits: readonly number[], start: number, length: number): boolean {
  let sum = 0;
  for (let place = 0; place < length; place++) {
    const digit = digits[start + length - 1 - place] ?? 0;
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
