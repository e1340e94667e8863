'use strict';

const data = JSON.parse(document.getElementById('plugin-data').textContent);
const { config, page } = data;
const { brandOf, titleOf, groupedNumber, groupedExpiry } = globalThis.cardRules;
const session = data.session ? checkoutSession(data.session) : null;
const at = (id) => document.getElementById(id);
const parts = { landing: at('landing'), checkout: at('payment'), offer: at('offer'), thankyou: at('receipt') };

/** What a page without a session shows, so that its look can be judged. */
const preview = {
  step: {
    id: 'preview',
    name: null,
    type: { '/landing': 'landing', '/offer': 'upsell', '/thank-you': 'thankyou' }[page.path] ?? 'checkout',
    isOffer: page.path === '/offer',
    price: { currency: 'USD', amount: 4900, items: [{ name: 'A thing to look at', quantity: 1, unitAmount: 4900 }] },
  },
  payment: null,
  card: { brand: 'visa', last4: '4242' },
  priceAhead: null,
  email: 'you@example.com',
  orders: [
    {
      id: 'ord_preview',
      amount: 4900,
      currency: 'USD',
      items: [{ name: 'A thing to look at', quantity: 1, unitAmount: 4900 }],
    },
  ],
  url: null,
};

let view = preview;
/** Names one attempt to pay. It is kept while its outcome is unknown, so that trying again cannot charge twice. */
let attemptId = newAttempt();

dress();
start();

function dress() {
  const root = document.documentElement;
  root.dataset.theme = config.theme;
  root.dataset.corners = config.corners ?? 'round';
  root.style.setProperty('--accent', config.accentColor);
  root.style.setProperty('--on-accent', isBright(config.accentColor) ? '#000' : '#fff');
  at('brand').textContent = config.brand;
  at('thanks').textContent = config.thanks ?? 'Thank you for your order.';
  document.title = `${page.name ?? 'Checkout'} · ${config.brand}`;
}

async function start() {
  if (!session) {
    show(preview);
    tell('This page was opened without a checkout session: it shows how it looks, and nothing can be paid.');
    for (const button of document.querySelectorAll('button')) button.disabled = true;
    return;
  }
  await doing(async () => {
    const now = await session.read();
    // Back from the bank, or after a reload in the middle of a payment.
    return ['requires_action', 'processing'].includes(now.payment?.status) ? session.carryOn() : now;
  });
}

at('landing').addEventListener('submit', (event) => {
  event.preventDefault();
  doing(() => session.leaveLanding(view.step.id));
});

at('payment').addEventListener('submit', (event) => {
  event.preventDefault();
  const entered = readForm();
  if (entered) doing(() => session.pay(view.step.id, attemptId, entered));
});

at('offer').addEventListener('submit', (event) => {
  event.preventDefault();
  doing(() =>
    event.submitter?.value === 'decline' ? session.decline(view.step.id) : session.accept(view.step.id, attemptId),
  );
});

/** Runs one thing at a time, and goes wherever the answer says. */
async function doing(work) {
  busy(true);
  complain('');
  let isLeaving = false;
  try {
    const answer = await work();
    attemptId = newAttempt();
    isLeaving = follow(answer);
  } catch (error) {
    if (!error.isLost) attemptId = newAttempt();
    const unplaced = placeIssues(error.issues ?? []);
    complain(
      unplaced || error.issues?.length === 0 || !error.issues ? (error.message ?? 'That did not work. Try again.') : '',
    );
  }
  // The button must not come back while the next page is on its way.
  if (!isLeaving) busy(false);
}

function follow(answer) {
  const leads = (url) => url && new URL(url).pathname !== location.pathname;
  if (leads(answer.url)) {
    location.assign(answer.url);
    return true;
  }
  if (answer.payment?.status === 'requires_action' && answer.payment.url && view.step.id !== 'preview') {
    location.assign(answer.payment.url);
    return true;
  }
  show(answer);
  at('confirm').hidden = answer.payment?.status !== 'requires_action';
  at('confirm').href = answer.payment?.url ?? '';
  if (answer.payment?.status === 'requires_action') {
    parts[view.step.isOffer ? 'offer' : view.step.type].hidden = true;
    tell('Your bank asks you to confirm this payment.');
    return false;
  }
  if (answer.payment?.status === 'processing') {
    tell('Your payment is being confirmed. This can take a minute; you need not do anything.');
    setTimeout(() => doing(() => session.carryOn()), 3000);
    return true;
  }
  tell('');
  complain(answer.payment?.message ?? '');
  return false;
}

function show(answer) {
  view = answer;
  const { step } = answer;
  const shown = step.isOffer ? 'offer' : step.type;
  for (const [type, part] of Object.entries(parts)) part.hidden = type !== shown;
  // A landing page sells nothing itself: it shows what the checkout after it does.
  const price = step.price ?? answer.priceAhead;
  at('summary').hidden = !price || shown === 'thankyou';
  if (price) {
    at('items').replaceChildren(
      ...price.items.map((item) =>
        line(`${item.quantity} × ${item.name}`, money(item.quantity * item.unitAmount, price.currency)),
      ),
    );
    at('total').textContent = money(price.amount, price.currency);
  }
  // What the step of the funnel says goes before what the plugin is configured to say.
  at('headline').textContent =
    step.config?.headline ?? (shown === 'offer' ? (step.name ?? 'One more thing?') : (config.headline ?? 'Checkout'));
  at('intro').textContent = step.config?.intro ?? (shown === 'offer' ? '' : (config.intro ?? ''));
  at('pay').textContent =
    `${config.payLabel ?? 'Pay'}${step.price ? ` · ${money(step.price.amount, step.price.currency)}` : ''}`;
  at('offer-card').textContent = answer.card
    ? `Your ${titleOf(answer.card.brand)} card ending in ${answer.card.last4} will be charged.`
    : '';
  if (shown === 'thankyou') {
    at('headline').textContent = 'Thank you';
    at('intro').textContent = '';
    at('orders').replaceChildren(
      ...answer.orders.flatMap((order) =>
        order.items.map((item) =>
          line(`${item.quantity} × ${item.name}`, money(item.quantity * item.unitAmount, order.currency)),
        ),
      ),
    );
    at('paid-total').textContent = totalOf(answer.orders);
    at('order-number').textContent = answer.orders.map(({ id }) => id).join(', ');
    at('order-email').textContent = answer.email ?? '';
    for (const id of ['paid', 'order-number', 'order-email']) {
      const element = at(id);
      const isEmpty = answer.orders.length === 0 || element.textContent === '';
      element.hidden = isEmpty;
      if (element.previousElementSibling?.tagName === 'DT') element.previousElementSibling.hidden = isEmpty;
    }
  }
}

/** The sum of orders, for each currency. */
function totalOf(orders) {
  const sums = new Map();
  for (const { amount, currency } of orders) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => money(amount, currency)).join(' + ');
}

at('cardNumber').addEventListener('input', ({ target }) => {
  regroup(target, groupedNumber);
  const { title, cvc } = brandOf(digitsOf(target));
  at('card-brand').textContent = title;
  at('cvc').placeholder = cvc === 4 ? '1234' : '123';
});
at('expiry').addEventListener('input', ({ target }) => {
  const isGrown = Number(target.dataset.length ?? 0) < target.value.length;
  regroup(target, (digits) => groupedExpiry(digits, isGrown));
  target.dataset.length = target.value.length;
});

/** Groups the digits of a field, with the cursor behind the same digit as before. */
function regroup(input, grouped) {
  const isAtEnd = input.selectionStart === input.value.length;
  const before = input.value.slice(0, input.selectionStart).replace(/\D/g, '').length;
  input.value = grouped(digitsOf(input));
  if (isAtEnd || document.activeElement !== input) return;
  let seen = 0;
  const index = [...input.value].findIndex((character) => /\d/.test(character) && ++seen === before);
  input.setSelectionRange(index + 1, index + 1);
}

function digitsOf({ value }) {
  return value.replace(/\D/g, '');
}

/** The form's values, or nothing when something is missing, which is then said where it is. */
function readForm() {
  const email = at('email').value.trim();
  const cardNumber = at('cardNumber').value.replace(/[\s-]/g, '');
  const [, month, year] = /^\s*(\d{1,2})\s*\/?\s*(\d{2}|\d{4})\s*$/.exec(at('expiry').value) ?? [];
  const cvc = at('cvc').value.trim();
  const issues = [];
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) issues.push({ path: 'email', message: 'Enter your e-mail address.' });
  if (!/^\d{12,19}$/.test(cardNumber)) issues.push({ path: 'cardNumber', message: 'Enter the number on the card.' });
  if (!month) issues.push({ path: 'expiry', message: 'Enter month and year, such as 04 / 30.' });
  if (!/^\d{3,4}$/.test(cvc)) issues.push({ path: 'cvc', message: 'Enter the 3 or 4 digits on the card.' });
  placeIssues(issues);
  if (issues.length > 0) return null;
  return {
    email,
    cardNumber,
    expMonth: Number(month),
    expYear: year.length === 2 ? 2000 + Number(year) : Number(year),
    cvc,
  };
}

/** Says what is wrong at the field it is wrong with, and leads there. True when something belongs to no field. */
function placeIssues(issues) {
  const names = ['email', 'cardNumber', 'expiry', 'cvc'];
  const fieldOf = {
    email: 'email',
    cardNumber: 'cardNumber',
    expMonth: 'expiry',
    expYear: 'expiry',
    expiry: 'expiry',
    cvc: 'cvc',
  };
  const messages = new Map(issues.map(({ path, message }) => [fieldOf[path], message]));
  for (const name of names) {
    const message = messages.get(name) ?? '';
    at(name).setAttribute('aria-invalid', String(message !== ''));
    at(`${name}-problem`).textContent = message && `${message[0].toUpperCase()}${message.slice(1)}`;
  }
  const first = names.find((name) => messages.has(name));
  if (first) at(first).focus();
  return messages.has(undefined);
}

function busy(isBusy) {
  for (const button of document.querySelectorAll('button')) button.disabled = isBusy;
  document.querySelector('main').setAttribute('aria-busy', String(isBusy));
}

function tell(sentence) {
  at('notice').textContent = sentence;
  at('notice').hidden = sentence === '';
}

function complain(sentence) {
  at('problem').textContent = sentence;
  at('problem').hidden = sentence === '';
}

function line(left, right) {
  const item = document.createElement('li');
  for (const text of [left, right]) item.append(Object.assign(document.createElement('span'), { textContent: text }));
  return item;
}

function money(amount, currency) {
  const format = new Intl.NumberFormat(document.documentElement.lang, { style: 'currency', currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
}

/** Whether black is easier to read on a color than white. */
function isBright(color) {
  const [red, green, blue] = [1, 3, 5].map((start) => (parseInt(color.slice(start, start + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

function newAttempt() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
