/** Descriptions that an object type and its input type share. */

export const stepConfigDescription =
  'The settings of the step as a JSON object of at most 16,384 characters, read by the page of the step. The ' +
  'platform uses these fields: `instanceId`, a plugin instance of the store, prefix `pin_`; `path`, the page of the ' +
  'instance, starting with `/`; `paymentFlowId`, the payment flow of the account for payments at the step, prefix ' +
  '`flow_`; `currency`, one of the charge currencies of the store; `items`, the 1 to 20 items that the step sells, ' +
  'each `{name, quantity, unitAmount}` or `{priceId, quantity}`. A `priceId`, prefix `price_`, names a one-time ' +
  'price of the store; its name and amount are copied when the funnel is saved. A page cannot change what the step ' +
  'charges.';

export const variantConfigDescription =
  'The settings of the variant as a JSON object. Its fields override those of the `config` of the step.';

export const variantsDescription =
  'The variants of the step, at most 10. Their percentages sum to 100. Empty if the step has only one form.';

export const expressionDescription =
  'A CEL expression of at most 500 characters. Its variables are `event {id, type, data}`, `payment {id, status, ' +
  'amount, currency, failureCode}`, `order {id, status, amount, currency}`, `customer {id, email, country, tags}` ' +
  'and `session {id, stepId, variantId, moves}`. Beside another `when` it narrows that condition. It is false if it ' +
  'cannot be evaluated. A funnel can have 20 expressions that iterate (`all`, `exists`, `exists_one`, `map`, ' +
  '`filter`); these, and those with `+` on a value of `event`, are false if a list or map in ' +
  '`event.data` has more than 100 entries, all of them together have more than 300, or a string in it has more than ' +
  '100 characters.';

export const priorityDescription =
  'An integer from -1,000,000 to 1,000,000. Of the edges that match, the one with the smallest priority is taken, ' +
  'and of equal ones the first in the list.';
