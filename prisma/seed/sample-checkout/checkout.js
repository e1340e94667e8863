'use strict';

const data = JSON.parse(document.getElementById('plugin-data').textContent);
const { config, page } = data;
const { brandOf, titleOf, groupedNumber, groupedExpiry } = globalThis.cardRules;
/** The language in which the platform speaks to this visitor, if these pages speak it. */
const locale = Object.hasOwn(globalThis.checkoutTexts, data.locale) ? data.locale : 'en';
const words = globalThis.checkoutTexts[locale];
const { moneyText } = globalThis;
const session = data.session ? checkoutSession(data.session, locale) : null;
const at = (id) => document.getElementById(id);
const parts = { landing: at('landing'), checkout: at('payment'), offer: at('offer'), thankyou: at('receipt') };

/** What a page without a session shows, so that its look can be judged. */
const preview = {
  step: {
    id: 'preview',
    name: null,
    type: { '/landing': 'landing', '/offer': 'upsell', '/thank-you': 'thankyou' }[page.path] ?? 'checkout',
    isOffer: page.path === '/offer',
    price: { currency: 'USD', amount: 4900, items: [{ name: words.previewItem, quantity: 1, unitAmount: 4900 }] },
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
      items: [{ name: words.previewItem, quantity: 1, unitAmount: 4900 }],
    },
  ],
  url: null,
};

let view = preview;
/** Names one attempt to pay. It is kept while its outcome is unknown, so that trying again cannot charge twice. */
let attemptId = newAttempt();
/** What has the focus while buttons are disabled, which takes it from them. */
let pressed = null;

speak();
dress();
start();
// The browser's back button may bring the page back as it was left.
addEventListener('pageshow', ({ persisted }) => persisted && start());

function speak() {
  document.documentElement.lang = locale;
  for (const element of document.querySelectorAll('[data-text]')) element.textContent = words[element.dataset.text];
  for (const element of document.querySelectorAll('[data-label]'))
    element.setAttribute('aria-label', words[element.dataset.label]);
  at('expiry').placeholder = words.expiryForm;
}

/** What a step of the funnel says, in the visitor's language if it says it in that too. */
function ofStep({ config: own }, name) {
  return own?.translations?.[locale]?.[name] ?? own?.[name];
}

/** What the shop says, in the visitor's language if it says it in that too. */
function said(name, otherwise) {
  return config.translations?.[locale]?.[name] ?? config[name] ?? otherwise;
}

function dress() {
  const root = document.documentElement;
  root.dataset.theme = config.theme;
  root.dataset.corners = config.corners ?? 'round';
  root.style.setProperty('--accent', config.accentColor);
  root.style.setProperty('--on-accent', isBright(config.accentColor) ? '#000' : '#fff');
  at('brand').textContent = config.brand;
  at('thanks').textContent = said('thanks', words.thanks);
  document.title = `${locale === 'en' ? (page.name ?? words.title) : words.title} · ${config.brand}`;
}

async function start() {
  if (!session) {
    show(preview);
    tell(words.preview);
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
    // The link is old, or the shop is closed: the platform says so in the name of the shop.
    if ([403, 404, 410].includes(error.status)) {
      location.replace(session.page);
      return;
    }
    // Another tab pays or went on meanwhile, or the session takes no card any more.
    const now = error.status === 409 ? await whereItStands() : null;
    if (now && follow(now)) return;
    const issues = error.issues ?? [];
    const unplaced = placeIssues(issues);
    complain(unplaced || issues.length === 0 ? sentenceOf(error) : '');
  }
  // The button must not come back while the next page is on its way.
  if (!isLeaving) busy(false);
}

/** Where the session stands after what another tab has paid: its payment may be ahead of the session. */
function whereItStands() {
  return session.carryOn().catch(() => session.read().catch(() => null));
}

function sentenceOf({ status, isLost }) {
  if (isLost && status === undefined) return words.lost;
  return { 409: words.noCard, 429: words.tooMany }[status] ?? words.failed;
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
    tell(words.confirm);
    return false;
  }
  if (answer.payment?.status === 'processing') {
    tell(words.processing);
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
        line(`${item.quantity} × ${item.name}`, moneyText(locale, item.quantity * item.unitAmount, price.currency)),
      ),
    );
    at('total').textContent = moneyText(locale, price.amount, price.currency);
  }
  // What the step of the funnel says goes before what the plugin is configured to say.
  at('headline').textContent =
    ofStep(step, 'headline') ?? (shown === 'offer' ? (step.name ?? words.offer) : said('headline', words.title));
  at('intro').textContent = ofStep(step, 'intro') ?? (shown === 'offer' ? '' : said('intro', ''));
  at('pay').textContent =
    `${said('payLabel', words.pay)}${step.price ? ` · ${moneyText(locale, step.price.amount, step.price.currency)}` : ''}`;
  at('offer-card').textContent = answer.card
    ? words.card.replace('{brand}', titleOf(answer.card.brand)).replace('{last4}', answer.card.last4)
    : '';
  if (shown === 'thankyou') {
    at('headline').textContent = words.thankYou;
    at('intro').textContent = '';
    at('orders').replaceChildren(
      ...answer.orders.flatMap((order) =>
        order.items.map((item) =>
          line(`${item.quantity} × ${item.name}`, moneyText(locale, item.quantity * item.unitAmount, order.currency)),
        ),
      ),
    );
    at('paid-total').textContent = totalOf(answer.orders);
    at('order-number').textContent = answer.orders.map(({ id }) => id).join('\n');
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
  return [...sums].map(([currency, amount]) => moneyText(locale, amount, currency)).join(' + ');
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
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) issues.push({ path: 'email' });
  if (!/^\d{12,19}$/.test(cardNumber)) issues.push({ path: 'cardNumber' });
  if (!month) issues.push({ path: 'expiry' });
  if (!/^\d{3,4}$/.test(cvc)) issues.push({ path: 'cvc' });
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
  const wrong = new Set(issues.map(({ path }) => fieldOf[path]));
  for (const name of names) {
    at(name).setAttribute('aria-invalid', String(wrong.has(name)));
    at(`${name}-problem`).textContent = wrong.has(name) ? words[`wrong_${name}`] : '';
  }
  const first = names.find((name) => wrong.has(name));
  if (first) at(first).focus();
  return wrong.has(undefined);
}

function busy(isBusy) {
  if (isBusy) pressed = document.activeElement;
  for (const button of document.querySelectorAll('button')) button.disabled = isBusy;
  document.querySelector('main').setAttribute('aria-busy', String(isBusy));
  if (!isBusy && document.activeElement === document.body) pressed?.focus({ preventScroll: true });
}

function tell(sentence) {
  at('notice').textContent = sentence;
  at('notice').hidden = sentence === '';
}

function complain(sentence) {
  at('problem').textContent = sentence;
  at('problem').hidden = sentence === '';
  // On a phone it may stand above what is seen of the page.
  if (sentence !== '') at('problem').scrollIntoView({ block: 'nearest' });
}

function line(left, right) {
  const item = document.createElement('li');
  for (const text of [left, right]) item.append(Object.assign(document.createElement('span'), { textContent: text }));
  return item;
}

/** Whether black is easier to read on a color than white. */
function isBright(color) {
  const [red, green, blue] = [1, 3, 5].map((start) => (parseInt(color.slice(start, start + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

function newAttempt() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
