/** The names of fields whose values are secret. */
const secretFields = [
  'authorization|cookie|set-cookie|password|secret|token|api-?key|card-?number|cvc|cvv|pan|jwt',
  '[a-z]*(?:secret|token|password)|secretHash|(?:vault|fingerprint|private|signing)Keys?',
].join('|');
/**
 * Anything that might be a secret or a card number. Nearly every line does not match this one test and is written
 * unchanged.
 */
const suspicious = new RegExp(
  [
    /tp_sk_(?:partner_)?(?:live|test)_(?:[0-9a-z]{1,2}_)?[0-9A-Za-z]{9}/,
    /\b[sr]k_(?:live|test)_/,
    /_secret_\w/,
    /whsec_/,
    /eyJ[\w-]{8}/,
    /ticket=|session_token=/,
    /postgres(?:ql)?:\/\//,
    /\d(?:[ -]?\d){12}/,
    new RegExp(`"(?:${secretFields})\\\\?":`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** Secret fields at any depth, and in JSON that is a string inside the line. A list of values is removed as a whole. */
const named = new RegExp(
  String.raw`(\\?"(?:${secretFields})\\?":\s*)(\\".*?\\"|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|-?[\d.]+)`,
  'gi',
);
const keySecret = /(tp_sk_(?:partner_)?(?:live|test)_(?:[0-9a-z]{1,2}_)?[0-9A-Za-z]{8})[0-9A-Za-z]+/g;
/** Keys of processors, and secrets that give a browser access to one payment. */
const processorSecret = /\b([sr]k_(?:live|test)|(?:pi|seti)_\w+?_secret)_\w+/g;
const signingSecret = /whsec_[A-Za-z0-9+/=_-]+/g;
const ticket = /(ticket|session_token)=[\w%.+/-]+/g;
const jsonWebToken = /eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;
const urlPassword = /(postgres(?:ql)?:\/\/[^:@/\s"]*):[^@/\s"]+@/g;
/** A hash: a hexadecimal word of 40 or 64 characters with a letter. Digits within it are no card number. */
const hashWord = '(?=[0-9]*[a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9A-Za-z])';
const digitRun = new RegExp(String.raw`(?<![0-9A-Za-z])${hashWord}|\d(?:(?:[ -](?!${hashWord}))?\d){12,}`, 'g');

/**
 * Removes secrets and card numbers from a finished line. The public prefix of a key is kept, so that the key can be
 * found.
 */
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

/**
 * A run of digits may contain a card number next to other digits (`7 4242 4242 4242 4242`): every part of a card's
 * length that starts and ends at a group is checked. A hash is left unchanged.
 */
function scrubDigits(run: string, offset: number, line: string): string {
  if (/[a-f]/.test(run)) return run;
  // After these characters the run may be a JSON number, which must remain one. A number of nines is no card number.
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

/** The length of the longest card number at `start` that passes the check digit; 0 without one. */
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
