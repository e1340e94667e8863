/** The page of the shop. It holds no key and sees no card number: it gets a token and hands it to its server. */
const at = (id) => document.getElementById(id);
const appearance = { variables: { colorAccent: '#7a4b1f', colorText: '#2b2118', colorBorder: '#a08f7c' } };
let fields = null;
let isReady = false;
let isBusy = false;
/** A payment waits for its challenge: pressing Pay goes on with it, and charges no other card. */
let isUnconfirmed = false;

void start();

async function start() {
  await doing(async () => {
    const state = await post('/state', 'GET');
    if (state.status === 'succeeded' || state.status === 'pending') return finish(state.status);
    await load(state);
    show(state.clientSecret);
    // After a reload in the middle of a challenge.
    if (state.status === 'requires_action') await settle(state);
  });
}

/** The script of the platform, once. Its hash comes from the server of the shop, which asked the platform. */
function load({ scriptUrl, scriptIntegrity }) {
  if (window.PartnerFields) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    Object.assign(script, { src: scriptUrl, integrity: scriptIntegrity, crossOrigin: 'anonymous' });
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error('The card form could not be loaded. Check your connection.'));
    });
    document.head.append(script);
  });
}

function show(clientSecret) {
  fields?.unmount();
  fields = PartnerFields.create({ clientSecret, locale: 'en' });
  ready(false);
  fields.on('ready', () => ready(true));
  fields.on('error', () => ready(false));
  fields.on('enter', () => at('pay').disabled || at('payment').requestSubmit());
  at('payment').hidden = false;
  at('notice').textContent = '';
  fields.mount('#card', { appearance });
}

at('payment').addEventListener('submit', (event) => {
  event.preventDefault();
  void doing(async () => {
    if (isUnconfirmed) return settle(await post('/continue', 'POST', {}));
    const { token } = await fields.submit();
    return settle(await post('/pay', 'POST', { token }));
  });
});
at('again').addEventListener('click', () => void start());

/** Follows a payment to its end: through a challenge, and to another try after a decline. */
async function settle(outcome) {
  isUnconfirmed = outcome.status === 'requires_action';
  if (isUnconfirmed) {
    const { status } = await fields.confirm(outcome.requireAction);
    if (status === 'closed') throw new Error('The payment is not confirmed yet. Press Pay to go on.');
    return settle(await post('/continue', 'POST', {}));
  }
  if (outcome.status === 'declined') {
    show(outcome.clientSecret);
    throw new Error(outcome.message);
  }
  return finish(outcome.status);
}

function finish(status) {
  fields?.unmount();
  at('payment').hidden = true;
  at('headline').textContent = 'Thank you';
  at('notice').textContent =
    status === 'succeeded'
      ? 'You paid $49.00. A receipt is on its way to ada@example.com.'
      : 'Your payment of $49.00 is being confirmed. You need not do anything.';
  at('headline').focus();
}

/** Does one thing at a time, and says what went wrong where it can be tried again. */
async function doing(work) {
  busy(true);
  at('again').hidden = true;
  at('problem').textContent = '';
  try {
    await work();
  } catch (error) {
    if (fields) at('problem').textContent = error.isShown ? '' : error.message;
    else {
      at('notice').textContent = error.message;
      at('again').hidden = false;
    }
  }
  busy(false);
}

function busy(is) {
  isBusy = is;
  at('pay').disabled = isBusy || !(isReady || isUnconfirmed);
}

function ready(is) {
  isReady = is;
  busy(isBusy);
}

async function post(path, method, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new Error('There was no answer. Check your connection and try again: you are charged once at most.');
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}
