/** The page in the frame of card fields. What the visitor enters leaves it only to this origin. */
const at = (id) => document.getElementById(id);
const root = document.documentElement;
const allowedOrigins = root.dataset.origins.split(' ');
const sessionId = location.pathname.split('/').pop();
const texts = globalThis.fieldsTexts;
const { brandOf, statesOf, expiryOf, groupedNumber, groupedExpiry } = globalThis.cardRules;
const { moneyText } = globalThis;
const inputs = { number: at('number'), expiry: at('expiry'), cvc: at('cvc') };

let port = null;
let words = texts.en;
let locale = 'en';
let clientSecret = '';
let isOpen = false;
/** Names one attempt. It is kept while the entered card is, so that a repeat after a lost answer makes no other token. */
let attemptId = newAttempt();
let sending = null;
/** Why the session did not open. */
let refused = null;

// Until the page around this one names a language, it is that of the browser.
speak();

addEventListener('message', (event) => {
  // The page around this one, by its window and its origin, and the first message only.
  if (port || event.source !== parent || !allowedOrigins.includes(event.origin)) return;
  const { type, clientSecret: secret, appearance, locale: asked } = event.data ?? {};
  if (type !== 'platform-fields/init' || event.ports.length !== 1) return;
  if (typeof secret !== 'string' || !secret.startsWith(`${sessionId}_secret_`)) return;
  port = event.ports[0];
  port.addEventListener('message', ({ data }) => answer(data));
  port.start();
  tell({ type: 'hello' });
  clientSecret = secret;
  speak(asked);
  dress(appearance);
  new ResizeObserver(() =>
    tell({ type: 'resize', height: Math.ceil(document.querySelector('main').offsetHeight) }),
  ).observe(document.querySelector('main'));
  void open();
});

/** Tells the page around this one. What is entered before its first message is reported when the session has opened. */
function tell(message) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one other end
  port?.postMessage(message);
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

function dress(appearance) {
  const refused = globalThis.applyVariables(root.style, appearance?.variables ?? {});
  if (refused.length === 0) return;
  const message = `Not allowed in appearance.variables: ${refused.join(', ')}.`;
  tell({ type: 'error', error: { code: 'invalid_appearance', message } });
}

async function open() {
  complain(null);
  refused = null;
  try {
    const session = await ask('session', {});
    isOpen = true;
    at('mode').hidden = session.livemode;
    at('mode').textContent = words.test;
    at('summary').hidden = session.amount === null;
    at('store').textContent = session.storeName;
    at('total').textContent = session.amount === null ? '' : moneyText(locale, session.amount, session.currency);
    at('form').hidden = false;
    setTimeout(end, session.expiresInMs);
    tell({ type: 'ready' });
    change();
  } catch (error) {
    refused = error;
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
  if (!isOpen || inputs.number.disabled) throw refused ?? problem(isOpen ? 'session_over' : 'network');
  complain(null);
  const wrong = Object.entries(states()).filter(([, state]) => state !== 'complete');
  if (wrong.length > 0) {
    const fields = Object.fromEntries(wrong.map(([name, state]) => [name, state === 'empty' ? 'incomplete' : state]));
    mark(fields);
    throw problem('incomplete_card', fields);
  }
  const { month, year } = expiryOf(digitsOf(inputs.expiry));
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
  const isAmex = name === 'cvc' && state === 'incomplete' && brandOf(digitsOf(inputs.number)).cvc === 4;
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
  tell({ type: 'enter' });
});

/** What the page may know: which field is complete, and the brand. */
function change() {
  const fields = states();
  const all = Object.values(fields);
  const { name, title, cvc } = brandOf(digitsOf(inputs.number));
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
  return statesOf({ number: digitsOf(inputs.number), expiry: digitsOf(inputs.expiry), cvc: inputs.cvc.value });
}

/** Groups the digits, with the cursor behind the same digit as before. */
function format(name, input) {
  const cursor = input.selectionStart;
  const isAtEnd = cursor === input.value.length;
  const before = input.value.slice(0, cursor).replace(/\D/g, '').length;
  const isGrown = (input.dataset.length ?? 0) < input.value.length;
  const shown = {
    number: groupedNumber,
    expiry: groupedExpiry,
    cvc: (digits) => digits.slice(0, brandOf(digitsOf(inputs.number)).cvc),
  };
  input.value = shown[name](digitsOf(input), isGrown);
  input.dataset.length = input.value.length;
  if (isAtEnd || document.activeElement !== input) return;
  let seen = 0;
  const index = [...input.value].findIndex((character) => /\d/.test(character) && ++seen === before);
  input.setSelectionRange(index + 1, index + 1);
}

function digitsOf({ value }) {
  return value.replace(/\D/g, '');
}

function newAttempt() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
