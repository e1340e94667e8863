/** The layer in which a bank asks the cardholder to confirm a payment. */
const at = (id) => document.getElementById(id);
const allowedOrigins = document.documentElement.dataset.origins.split(' ');
const texts = {
  en: {
    title: 'Confirm with your bank',
    close: 'Close',
    bank: 'The page of your bank',
    hint: 'Nothing to see?',
    again: 'Load it again',
  },
  de: {
    title: 'Bei Ihrer Bank bestätigen',
    close: 'Schließen',
    bank: 'Die Seite Ihrer Bank',
    hint: 'Nichts zu sehen?',
    again: 'Neu laden',
  },
};

let port = null;

// Until the page around this one names a language, it is that of the browser.
speak();

addEventListener('message', ({ source, origin, data, ports }) => {
  if (source === at('bank').contentWindow && origin === location.origin && data?.type === 'platform-fields/returned')
    return tell({ type: 'returned' });
  if (port || source !== parent || !allowedOrigins.includes(origin)) return;
  if (data?.type !== 'platform-fields/init' || ports.length !== 1) return;
  [port] = ports;
  speak(data.locale);
  const url = URL.canParse(data.url) ? new URL(data.url) : null;
  // A script in an address would run as a script of this page.
  if (url === null || (url.protocol !== 'https:' && url.origin !== location.origin))
    return tell({
      type: 'error',
      error: { code: 'invalid_action', message: 'This is no page of a bank.' },
    });
  at('bank').src = url.href;
  at('again').addEventListener('click', () => (at('bank').src = url.href));
  at('close').focus();
  tell({ type: 'ready' });
});

at('close').addEventListener('click', () => tell({ type: 'closed' }));
addEventListener('keydown', ({ key }) => key === 'Escape' && tell({ type: 'closed' }));

function tell(message) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one other end
  port?.postMessage(message);
}

function speak(asked) {
  const wanted = asked ? [String(asked)] : navigator.languages;
  const locale = (wanted.find((tag) => texts[tag.slice(0, 2).toLowerCase()]) ?? 'en').slice(0, 2).toLowerCase();
  const words = texts[locale];
  document.documentElement.lang = locale;
  document.title = words.title;
  for (const id of ['title', 'close', 'hint', 'again']) at(id).textContent = words[id];
  at('bank').title = words.bank;
}
