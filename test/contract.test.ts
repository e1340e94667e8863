import { expect, test } from 'vitest';
import { contractPages, faultsOf, provenElsewhere, rulesOf } from './support/contract.ts';

test('every rule of the contract names tests that exist', () => {
  expect(contractPages().flatMap(faultsOf)).toEqual([]);
});

test('`npm test` proves every rule of docs/contract, but for those of processes, pages in a browser, long histories and the demo of a sandbox', () => {
  expect(provenElsewhere()).toEqual([
    '`/console/*` | the console of operators and merchants |',
    'The table `subscriptionEffects` of the tests',
    'The remaining `balance` of a subscription',
    'A step is paid once, in all of these cases:',
    'In the sandbox the demo has no live objects',
    'SIGTERM, SIGINT, SIGHUP and the end of npm stop',
  ]);
});

test('a rule is an item, a row or a paragraph', () => {
  const page =
    '# 1 Title\n\nA paragraph of\ntwo lines.\n\nA refusal is\n403. It is logged.\n\n- An item,\n  continued.\n- Another.\n\n| A | B |\n|---|---|\n| a | b |\n';
  expect(rulesOf(page)).toEqual([
    'A paragraph of two lines.',
    'A refusal is 403. It is logged.',
    'An item, continued.',
    'Another.',
    'a | b',
  ]);
});

test('a rule without a test, an opening of no rule and a test that does not exist are faults', () => {
  const tests = {
    'One rule': ['contract.test.ts: a rule is an item'],
    'No rule': ['docs.test.ts: no such title'],
    'Two rules': [],
  };
  const faults = faultsOf({ name: '99-page', rules: ['One rule.', 'Two rules.', 'Three rules.'], tests });
  expect(faults).toEqual([
    '99-page: no test: Three rules.',
    '99-page: not the opening of one rule: No rule',
    '99-page: does not exist: docs.test.ts: no such title',
    '99-page: no test: Two rules',
  ]);
});
