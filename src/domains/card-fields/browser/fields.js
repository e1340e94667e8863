/** The page in the frame of card fields. What the visitor enters leaves it only to this origin. */
const at = (id) => document.getElementById(id);
const root = document.documentElement;
const allowedOrigins = root.dataset.origins.split(' ');
const sessionId = location.pathname.split('/').pop();
const inputs = { number: at('number'), expiry: at('expiry'), cvc: at('cvc') };

const texts = {
  en: {
    number: 'Card number',
    expiry: 'Expiry (MM / YY)',
    cvc: 'Security code',
    test: 'Test mode: no money moves.',
    again: 'Try again',
    number_incomplete: 'Enter the whole card number.',
    number_invalid: 'This card number is not right. Check it.',
    expiry_incomplete: 'Enter the month and year.',
    expiry_invalid: 'This is no month of a year.',
    expiry_past: 'The card has expired.',
    cvc_incomplete: 'Enter the 3 digits on the back.',
    cvc_incomplete_amex: 'Enter the 4 digits on the front.',
    cvc_invalid: 'This security code is not right. Check it.',
    incomplete_card: 'Check the card details.',
    network: 'There was no answer. Check your connection and try again.',
    session_over: 'This form is no longer valid. Reload the page to get a new one.',
    too_many_attempts: 'Too many cards were tried. Wait a while, then reload the page.',
    unavailable: 'Cards cannot be taken here at the moment.',
  },
  de: {
    number: 'Kartennummer',
    expiry: 'Gültig bis (MM / JJ)',
    cvc: 'Prüfnummer',
    test: 'Testmodus: Es fließt kein Geld.',
    again: 'Erneut versuchen',
    number_incomplete: 'Geben Sie die ganze Kartennummer ein.',
    number_invalid: 'Diese Kartennummer stimmt nicht. Prüfen Sie sie.',
    expiry_incomplete: 'Geben Sie Monat und Jahr ein.',
    expiry_invalid: 'Das ist kein Monat eines Jahres.',
    expiry_past: 'Die Karte ist abgelaufen.',
    cvc_incomplete: 'Geben Sie die 3 Ziffern der Rückseite ein.',
    cvc_incomplete_amex: 'Geben Sie die 4 Ziffern der Vorderseite ein.',
    cvc_invalid: 'Diese Prüfnummer stimmt nicht. Prüfen Sie sie.',
    incomplete_card: 'Prüfen Sie die Angaben zur Karte.',
    network: 'Es kam keine Antwort. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    session_over: 'Dieses Formular gilt nicht mehr. Laden Sie die Seite neu.',
    too_many_attempts: 'Es wurden zu viele Karten versucht. Warten Sie etwas und laden Sie dann die Seite neu.',
    unavailable: 'Hier kann im Moment keine Karte angenommen werden.',
  },
};

/** The server decides whether a number is valid. This finds slips before it is asked. */
const brands = [
  { name: 'amex', title: 'Amex', starts: /^3[47]/, lengths: [15], groups: [4, 6, 5], cvc: 4 },
  { name: 'diners', title: 'Diners', starts: /^3(0[0-5]|[68]|9)/, lengths: [14, 16, 19], groups: [4, 6, 4, 5], cvc: 3 },
  { name: 'jcb', title: 'JCB', starts: /^(2131|1800|35)/, lengths: [16, 17, 18, 19], cvc: 3 },
  { name: 'visa', title: 'Visa', starts: /^4/, lengths: [16, 18, 19], cvc: 3 },
  {
    name: 'mastercard',
    title: 'Mastercard',
    starts: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    cvc: 3,
  },
  { name: 'discover', title: 'Discover', starts: /^(6011|64[4-9]|65)/, lengths: [16, 19], cvc: 3 },
  { name: 'unionpay', title: 'UnionPay', starts: /^62/, lengths: [14, 15, 16, 17, 18, 19], cvc: 3 },
  { name: 'maestro', title: 'Maestro', starts: /^(5[06789]|6)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19], cvc: 3 },
];
const anyBrand = { name: null, title: '', lengths: [12, 13, 14, 15, 16, 17, 18, 19], cvc: 3 };

let port = null;
let words = texts.en;
let locale = 'en';
let clientSecret = '';
let isOpen = false;
/** Names one attempt. It is kept while the entered card is, so that a repeat after a lost answer makes no other token. */
let attemptId = newAttempt();
let sending = null;

addEventListener('message', (event) => {
  // The page around this one, by its window and its origin, and the first message only.
  if (port || event.source !== parent || !allowedOrigins.includes(event.origin)) return;
  const { type, clientSecret: secret, appearance, locale: asked } = event.data ?? {};
  if (type !== 'platform-fields/init' || event.ports.length !== 1) return;
  if (typeof secret !== 'string' || !secret.startsWith(`${sessionId}_secret_`)) return;
  port = event.ports[0];
  port.addEventListener('message', ({ data }) => answer(data));
  port.start();
  clientSecret = secret;
  speak(asked);
  dress(appearance);
  new ResizeObserver(() =>
    tell({ type: 'resize', height: Math.ceil(document.querySelector('main').offsetHeight) }),
  ).observe(document.querySelector('main'));
  void open();
});

function tell(message) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one other end
  port.postMessage(message);
}

function answer(message) {
  if (message?.type === 'focus') inputs.number.focus();
  if (message?.type !== 'submit') return;
  sending ??= submit().finally(() => (sending = null));
  sending.then(
    (result) => tell({ type: 'result', id: message.id, result }),
    (error) => tell({ type: 'result', id: message.id, error }),
  );
}

function speak(asked) {
  const wanted = asked ? [String(asked)] : navigator.languages;
  const found = wanted.find((tag) => texts[tag.slice(0, 2).toLowerCase()]) ?? 'en';
  locale = found.slice(0, 2).toLowerCase();
  words = texts[locale];
  root.lang = locale;
  document.title = words.number;
  for (const name of Object.keys(inputs)) document.querySelector(`label[for=${name}]`).textContent = words[name];
  inputs.number.placeholder = '1234 1234 1234 1234';
  inputs.expiry.placeholder = locale === 'de' ? 'MM / JJ' : 'MM / YY';
  inputs.cvc.placeholder = '123';
  at('again').textContent = words.again;
}

/** Colors, sizes and the name of a font: nothing that could load a file or place one thing over another. */
const color = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const size = (max) => (text) => /^\d{1,2}px$/.test(text) && Number.parseInt(text, 10) <= max;
const allowed = {
  ...Object.fromEntries(
    ['Text', 'Label', 'Quiet', 'Background', 'Border', 'Accent', 'Danger'].map((name) => [
      `color${name}`,
      (text) => color.test(text),
    ]),
  ),
  fontFamily: (text) => /^[a-z][a-z0-9 -]{0,39}$/i.test(text),
  fontSize: (text) => size(24)(text) && Number.parseInt(text, 10) >= 12,
  borderRadius: size(24),
  gap: size(32),
};

function dress(appearance) {
  const refused = Object.entries(appearance?.variables ?? {}).filter(([name, value]) => {
    if (!Object.hasOwn(allowed, name) || typeof value !== 'string' || !allowed[name](value)) return true;
    root.style.setProperty(`--${name}`, name === 'fontFamily' ? `"${value}"` : value);
    return false;
  });
  if (refused.length > 0)
    tell({
      type: 'error',
      error: {
        code: 'invalid_appearance',
        message: `Not allowed in appearance.variables: ${refused.map(([name]) => name).join(', ')}.`,
      },
    });
}

async function open() {
  complain(null);
  try {
    const session = await ask('session', {});
    isOpen = true;
    at('mode').hidden = session.livemode;
    at('mode').textContent = words.test;
    at('summary').hidden = session.amount === null;
    at('store').textContent = session.storeName;
    at('total').textContent = session.amount === null ? '' : money(session.amount, session.currency);
    at('form').hidden = false;
    setTimeout(end, session.expiresInMs);
    tell({ type: 'ready' });
    change();
  } catch (error) {
    at('form').hidden = error.code !== 'network';
    fail(error);
  }
}

at('again').addEventListener('click', () => void open());

/** The session is over: nothing that is entered now can be sent. */
function end() {
  if (inputs.number.disabled) return;
  close();
  fail(problem('session_over'));
}

function close() {
  for (const input of Object.values(inputs)) {
    input.value = '';
    input.disabled = true;
  }
}

function fail(error) {
  complain(error);
  tell({ type: 'error', error });
}

function complain(error) {
  at('notice').textContent = error === null ? '' : error.message;
  at('again').hidden = error?.code !== 'network' || isOpen;
}

function problem(code, fields) {
  return { code, message: words[code], ...(fields && { fields }) };
}

/** Asks the platform. Throws what is wrong in the words of the visitor. */
async function ask(path, body) {
  let response;
  try {
    response = await fetch(`/fields/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ clientSecret, ...body }),
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(30_000),
    });
    const answered = await response.json();
    if (response.ok) return answered;
    throw refusal(response.status, answered);
  } catch (error) {
    throw error.code in texts.en ? error : problem('network');
  }
}

function refusal(status, answered) {
  if (status === 400) {
    const names = { cardNumber: 'number', expMonth: 'expiry', expYear: 'expiry', cvc: 'cvc' };
    const wrong = (answered.data?.issues ?? []).map(({ path }) => names[path]).filter(Boolean);
    return problem('incomplete_card', Object.fromEntries(wrong.map((name) => [name, 'invalid'])));
  }
  if (status === 403) return problem('unavailable');
  if (status === 404 || status === 410) return problem('session_over');
  return problem(status === 409 || status === 429 ? 'too_many_attempts' : 'network');
}

async function submit() {
  if (!isOpen || inputs.number.disabled) throw problem(isOpen ? 'session_over' : 'network');
  complain(null);
  const wrong = Object.entries(states()).filter(([, state]) => state !== 'complete');
  if (wrong.length > 0) {
    const fields = Object.fromEntries(wrong.map(([name, state]) => [name, state === 'empty' ? 'incomplete' : state]));
    mark(fields);
    throw problem('incomplete_card', fields);
  }
  const { month, year } = expiry();
  busy(true);
  try {
    const made = await ask('submit', {
      attemptId,
      cardNumber: digitsOf(inputs.number),
      expMonth: month,
      expYear: year,
      cvc: inputs.cvc.value,
    });
    close();
    inputs.number.value = `•••• ${made.card.last4}`;
    return made;
  } catch (error) {
    busy(false);
    if (error.fields) mark(error.fields);
    else complain(error);
    throw error;
  }
}

function busy(is) {
  for (const input of Object.values(inputs)) input.readOnly = is;
}

/** Shows what is wrong beside its field, and moves the focus to the first. */
function mark(fields) {
  for (const name of Object.keys(inputs)) show(name, fields[name]);
  inputs[Object.keys(inputs).find((name) => fields[name])]?.focus();
}

function show(name, state) {
  const isWrong = Boolean(state);
  const isAmex = name === 'cvc' && state === 'incomplete' && brandOf().cvc === 4;
  inputs[name].setAttribute('aria-invalid', String(isWrong));
  at(`${name}-error`).textContent = isWrong ? words[`${name}_${state}${isAmex ? '_amex' : ''}`] : '';
}

for (const [name, input] of Object.entries(inputs)) {
  input.addEventListener('input', () => {
    attemptId = newAttempt();
    format(name, input);
    show(name, null);
    complain(null);
    change();
  });
  // An empty field is not wrong before it is sent.
  input.addEventListener('blur', () => {
    const state = states()[name];
    if (isOpen && !input.disabled) show(name, state === 'empty' || state === 'complete' ? null : state);
  });
}

at('form').addEventListener('submit', (event) => {
  event.preventDefault();
  if (port) tell({ type: 'enter' });
});

/** What the page may know: which field is complete, and the brand. */
function change() {
  const fields = states();
  const all = Object.values(fields);
  const { name, title, cvc } = brandOf();
  at('brand').textContent = title;
  inputs.cvc.placeholder = cvc === 4 ? '1234' : '123';
  tell({
    type: 'change',
    change: {
      complete: all.every((state) => state === 'complete'),
      empty: all.every((state) => state === 'empty'),
      brand: name,
      fields,
    },
  });
}

function states() {
  const { lengths, cvc } = brandOf();
  const digits = digitsOf(inputs.number);
  const code = inputs.cvc.value;
  const isLong = digits.length >= Math.max(...lengths);
  return {
    number: stateOf(digits, lengths.includes(digits.length) && luhn(digits), isLong || lengths.includes(digits.length)),
    expiry: expiryState(),
    cvc: stateOf(code, code.length === cvc && /^\d+$/.test(code), code.length >= cvc),
  };
}

function stateOf(text, isRight, isWhole) {
  if (text === '') return 'empty';
  return isRight ? 'complete' : isWhole ? 'invalid' : 'incomplete';
}

function expiryState() {
  if (inputs.expiry.value === '') return 'empty';
  const { month, year } = expiry();
  if (year === null) return 'incomplete';
  if (month < 1 || month > 12) return 'invalid';
  const now = new Date();
  const monthsLeft = (year - now.getFullYear()) * 12 + month - 1 - now.getMonth();
  return monthsLeft < 0 ? 'past' : monthsLeft > 251 ? 'invalid' : 'complete';
}

function expiry() {
  const digits = digitsOf(inputs.expiry);
  const year = digits.slice(2);
  const whole = year.length === 2 ? 2000 + Number(year) : year.length === 4 ? Number(year) : null;
  return { month: Number(digits.slice(0, 2)), year: whole };
}

function brandOf() {
  const digits = digitsOf(inputs.number);
  return brands.find(({ starts }) => starts.test(digits)) ?? anyBrand;
}

function luhn(digits) {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Groups the digits, with the cursor behind the same digit as before. */
function format(name, input) {
  const cursor = input.selectionStart;
  const isAtEnd = cursor === input.value.length;
  const before = input.value.slice(0, cursor).replace(/\D/g, '').length;
  const isGrown = (input.dataset.length ?? 0) < input.value.length;
  const shown = { number: groupedNumber, expiry: groupedExpiry, cvc: (digits) => digits.slice(0, brandOf().cvc) };
  input.value = shown[name](digitsOf(input), isGrown);
  input.dataset.length = input.value.length;
  if (isAtEnd || document.activeElement !== input) return;
  let seen = 0;
  const index = [...input.value].findIndex((character) => /\d/.test(character) && ++seen === before);
  input.setSelectionRange(index + 1, index + 1);
}

function groupedNumber(digits) {
  const { groups = [4, 4, 4, 4, 3], lengths } = brandOf();
  let rest = digits.slice(0, Math.max(...lengths));
  const parts = [];
  for (const length of groups) {
    parts.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return parts.filter(Boolean).join(' ');
}

function groupedExpiry(digits, isGrown) {
  const whole = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  const [month, year] = [whole.slice(0, 2), whole.slice(2, 6)];
  if (year !== '') return `${month} / ${year}`;
  return month.length === 2 && isGrown ? `${month} / ` : month;
}

function digitsOf({ value }) {
  return value.replace(/\D/g, '');
}

function money(amount, currency) {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
}

function newAttempt() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
