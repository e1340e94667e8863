'use strict';

/** The checkout session that the link of this page opens: what the page may ask of the platform, and all it ever does. */
function checkoutSession({ token }) {
  const root = `/checkout/sessions/${encodeURIComponent(token)}`;

  async function ask(path, body) {
    const options =
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    let response;
    try {
      response = await fetch(root + path, options);
    } catch {
      throw {
        message: 'There was no answer. Check your connection and try again: you are charged once at most.',
        issues: [],
        isLost: true,
      };
    }
    const answer = await response.json().catch(() => ({}));
    if (!response.ok)
      throw {
        message: answer.message ?? 'That did not work. Try again.',
        issues: answer.data?.issues ?? [],
        status: response.status,
        isLost: response.status >= 500,
      };
    return answer;
  }

  return {
    read: () => ask(''),
    leaveLanding: (stepId) => ask('/next', { stepId }),
    pay: (stepId, attemptId, { email, cardNumber, expMonth, expYear, cvc }) =>
      ask('/pay', { stepId, attemptId, email, cardNumber, expMonth, expYear, cvc }),
    accept: (stepId, attemptId) => ask('/accept', { stepId, attemptId }),
    decline: (stepId) => ask('/decline', { stepId }),
    carryOn: () => ask('/continue', {}),
  };
}
