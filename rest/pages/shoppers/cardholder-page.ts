import { unpaidTexts } from '../../../src/domains/payments/public.ts';
import type { CardholderView } from '../../../src/domains/subscriptions/public.ts';
import { escapeHtml } from '../../../src/lib/text.ts';
import type { TextKey, Words } from '../../../src/theme/words.ts';
import type { SitePage } from '../frame/page.ts';

/**
 * The hosted page on which a cardholder pays. The card is entered on the platform's own page, without scripts of
 * others.
 */
export function cardholderPage(words: Words, link: string, view: CardholderView): SitePage {
  const { text, html, money, date } = words;
  const amount = money(view.amount, view.currency);
  return {
    title: text('cardholder.title', { product: view.productName }),
    brand: view.brand,
    hasScript: true,
    content: `<p>${html('cardholder.owed', { amount, store: view.storeName })}</p>
${bodyOf(words, link, view, amount)}
<p><small>${html('cardholder.until', { date: date(view.endsAt) })}</small></p>
${view.livemode ? '' : `<p><small>${html('cardholder.test')}</small></p>`}`,
  };
}

function bodyOf(words: Words, link: string, view: CardholderView, amount: string): string {
  const { html } = words;
  switch (view.state) {
    case 'processing':
      return `<p role="status">${html('cardholder.processing')}</p>
<a class="button" href="${link}">${html('cardholder.again')}</a>`;
    case 'challenge':
      return `<p role="status">${html('cardholder.challenge')}</p>
<a class="button" href="${link}/challenge">${html('cardholder.toBank')}</a>
${otherCard(words, link, view, amount)}`;
    case 'open':
      return `<p>${html(reasonText(view), { last4: view.card.last4 })}</p>
${view.unpaid === null ? '' : `<p role="alert">${html(unpaidTexts[view.unpaid])}</p>\n`}${sameCard(words, link, view, amount)}
${otherCard(words, link, view, amount)}`;
  }
}

function reasonText({ reason }: CardholderView): TextKey {
  if (reason === null) return 'cardholder.unpaid';
  return reason === 'authentication' ? 'cardholder.authentication' : 'cardholder.cardExpired';
}

/** The form for the same card. An expired card is not offered again. */
function sameCard(words: Words, link: string, view: CardholderView, amount: string): string {
  const { reason } = view;
  if (reason === 'card_expired') return '';
  const label = words.html(reason === null ? 'cardholder.retry' : 'cardholder.confirm', { amount });
  return `<form data-post="${link}/confirm"${problems(words)}>
${shownAmount(view)}
<p role="alert"></p>
<button>${label}</button>
</form>`;
}

function otherCard(words: Words, link: string, view: CardholderView, amount: string): string {
  const { html } = words;
  return `<form data-post="${link}/pay"${problems(words)}>
${shownAmount(view)}
<h2>${html('cardholder.other')}</h2>
<label for="number">${html('cardholder.number')}</label>
<input id="number" name="cardNumber" inputmode="numeric" autocomplete="cc-number" maxlength="23" spellcheck="false" required>
<label for="expiry">${html('cardholder.expiry')}</label>
<input id="expiry" name="expiry" inputmode="numeric" autocomplete="cc-exp" maxlength="9" spellcheck="false" required placeholder="${html('cardholder.expiryForm')}">
<label for="cvc">${html('cardholder.cvc')}</label>
<input id="cvc" name="cvc" inputmode="numeric" autocomplete="cc-csc" maxlength="4" spellcheck="false" required>
<p class="hint">${html('cardholder.otherNote')}</p>
<p role="alert"></p>
<button>${html('cardholder.pay', { amount })}</button>
</form>`;
}

/** The amount that the cardholder agrees to: for another amount nothing is charged, and the page is shown again. */
function shownAmount({ amount }: CardholderView): string {
  return `<input type="hidden" name="amount" value="${amount}">`;
}

/** The messages of the page's script for errors, by status or by the invalid field. */
function problems({ text }: Words): string {
  const said: Readonly<Record<string, TextKey>> = {
    'data-problem-403': 'cardholder.closed.text',
    'data-problem-409': 'cardholder.full',
    'data-wrong-cardNumber': 'cardholder.wrongNumber',
    'data-wrong-expiry': 'cardholder.wrongExpiry',
    'data-wrong-expMonth': 'cardholder.wrongExpiry',
    'data-wrong-expYear': 'cardholder.wrongExpiry',
    'data-wrong-cvc': 'cardholder.wrongCvc',
  };
  return Object.entries(said)
    .map(([name, key]) => ` ${name}="${escapeHtml(text(key))}"`)
    .join('');
}
