'use strict';

/**
 * The checkout session that the link of this page opens: what the page may ask of the platform, and all it ever does.
 * `locale` is the language in which the platform says why a card was declined.
 */
function checkoutSession({ token }, locale) {
  const root = `/checkout/sessions/${encodeURIComponent(token)}`;

  async function ask(path, body) {
    const options =
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    let response;
    try {
      response = await fetch(`${root}${path}?lang=${locale}`, options);
    } catch {
      throw { issues: [], isLost: true };
    }
    const answer = await response.json().catch(() => ({}));
    if (!response.ok)
      throw { issues: answer.data?.issues ?? [], status: response.status, isLost: response.status >= 500 };
    return answer;
  }

  return {
    /** Where the session goes on. Of a session that is over, it says so and offers another. */
    page: `${root}/page`,
    read: () => ask(''),
    leaveLanding: (stepId) => ask('/next', { stepId }),
    pay: (stepId, attemptId, { email, cardNumber, expMonth, expYear, cvc }) =>
      ask('/pay', { stepId, attemptId, email, cardNumber, expMonth, expYear, cvc }),
    accept: (stepId, attemptId) => ask('/accept', { stepId, attemptId }),
    decline: (stepId) => ask('/decline', { stepId }),
    carryOn: () => ask('/continue', {}),
  };
}
