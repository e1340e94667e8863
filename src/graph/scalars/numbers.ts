import { defineScalar, wholeNumberScalar } from '../define-scalar.ts';

defineScalar('Quantity', wholeNumberScalar('A number of units.', 1, 1_000_000));

defineScalar(
  'RouteWeight',
  wholeNumberScalar('The share of a processor in a payment flow, relative to the sum of the weights.', 1, 10_000),
);

defineScalar(
  'FallbackOrder',
  wholeNumberScalar('The position of a fallback in a payment flow. The lowest is tried first.', 0, 100),
);

defineScalar('RetryCount', wholeNumberScalar('The number of processors tried after the first one.', 0, 10));

defineScalar('TtlHours', wholeNumberScalar('A lifetime in hours.', 1, 8760));

defineScalar('PageNumber', wholeNumberScalar('The number of a page of a list, starting at 1.', 1, 1_000_000));

defineScalar('PageSize', wholeNumberScalar('The maximum number of items on a page.', 1, 100));

defineScalar('ListLimit', wholeNumberScalar('The maximum number of rows to return.', 1, 500));

defineScalar('ListOffset', wholeNumberScalar('The number of rows to skip.', 0, 1_000_000));

defineScalar('Count', {
  ...wholeNumberScalar('A number of objects, beyond what `Int` holds.', 0, Number.MAX_SAFE_INTEGER),
  serialize: Number, // a column of the database client is a big integer
});
