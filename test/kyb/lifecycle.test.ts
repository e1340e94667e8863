import { describe, expect, test } from 'vitest';
import { accountStatuses, accountTransitions, kybStatuses } from '../../src/accounts/lifecycle.ts';
import {
  kybTransitions,
  mayReview,
  maySubmit,
  refusalOfApproval,
  type RequirementStatus,
  requirementStatuses,
  sentBack,
  statusAfterSubmission,
} from '../../src/kyb/lifecycle.ts';
import { isKybValue, kybCodes, kybRequirements } from '../../src/kyb/requirements.ts';

const states = (...statuses: RequirementStatus[]) => statuses.map((status) => ({ required: true, status }));

describe('the life of a KYB', () => {
  test('every state can be reached, and only approved is final', () => {
    const reached = new Set(['not_started', ...kybStatuses.flatMap((status) => kybTransitions[status])]);
    expect([...reached].sort()).toEqual([...kybStatuses].sort());
    expect(kybStatuses.filter((status) => kybTransitions[status].length === 0)).toEqual(['approved']);
  });

  test('a value is taken before a review and after a rejection, never for what is approved', () => {
    const table = kybStatuses.map((kyb) => [kyb, requirementStatuses.filter((status) => maySubmit(kyb, status))]);
    expect(Object.fromEntries(table)).toEqual({
      not_started: ['missing', 'submitted', 'rejected'],
      in_progress: ['missing', 'submitted', 'rejected'],
      submitted: [],
      approved: [],
      rejected: ['missing', 'submitted', 'rejected'],
    });
  });

  test('it is submitted once nothing that is required is missing or rejected', () => {
    expect(statusAfterSubmission('not_started', states('submitted', 'missing'))).toBe('in_progress');
    expect(statusAfterSubmission('in_progress', states('submitted', 'submitted'))).toBe('submitted');
    expect(statusAfterSubmission('rejected', states('submitted', 'rejected'))).toBe('rejected');
    expect(statusAfterSubmission('rejected', states('submitted', 'approved'))).toBe('submitted');
    expect(statusAfterSubmission('in_progress', [...states('submitted'), { required: false, status: 'missing' }])).toBe(
      'submitted',
    );
  });

  test('a reviewer decides, also a second time, about what was sent, while the whole is submitted', () => {
    for (const kyb of kybStatuses) {
      for (const status of requirementStatuses) {
        for (const decision of ['approved', 'rejected'] as const)
          expect(mayReview(kyb, status, decision), `${kyb} ${status} ${decision}`).toBe(
            kyb === 'submitted' && status !== 'missing',
          );
      }
    }
  });

  test('the whole is approved only while it is submitted and nothing of it is rejected', () => {
    for (const kyb of kybStatuses)
      expect(refusalOfApproval(kyb, states('submitted'))).toBe(kyb === 'submitted' ? null : 'not_submitted');
    expect(refusalOfApproval('submitted', states('approved', 'rejected'))).toBe('requirement_rejected');
  });

  test('a rejection sends back what was rejected one by one, or else all that was sent', () => {
    expect(sentBack(states('submitted', 'rejected', 'approved'))).toEqual(states('rejected'));
    expect(sentBack(states('submitted', 'approved', 'missing'))).toEqual(states('submitted', 'approved'));
  });

  test('an account is active after an operator, suspended and back, and closed for good', () => {
    expect(accountStatuses.filter((status) => accountTransitions[status].length === 0)).toEqual(['closed']);
    expect(accountTransitions.pending_operator_assignment).not.toContain('suspended');
    expect(Object.values(accountTransitions).flat()).not.toContain('pending_operator_assignment');
  });
});

describe('what is asked', () => {
  test('the ten codes of the contract, each described and required', () => {
    expect(kybCodes.length).toBe(10);
    expect(Object.keys(kybRequirements)).toEqual([...kybCodes]);
    for (const code of kybCodes)
      expect(kybRequirements[code]).toMatchObject({ required: true, description: expect.stringMatching(/\.$/) });
  });

  test.each([
    ['a text of 4000 characters', 'x'.repeat(4_000), true],
    ['one of 4001', 'x'.repeat(4_001), false],
    ['a blank one', ' ', false],
    ['an object of 20 fields', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, n])), true],
    ['one of 21', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, n])), false],
    ['one of none', {}, false],
    ['a field name of 40 characters', { ['x'.repeat(40)]: true }, true],
    ['one of 41', { ['x'.repeat(41)]: true }, false],
    ['a field of 1000 characters', { line1: 'x'.repeat(1_000) }, true],
    ['one of 1001', { line1: 'x'.repeat(1_001) }, false],
    ['an object in an object', { address: { line1: 'x' } }, false],
    ['a list', ['x'], false],
    ['a number', 5, false],
    ['null', null, false],
  ])('%s: %#', (_name, value, taken) => {
    expect(isKybValue(value)).toBe(taken);
  });
});
