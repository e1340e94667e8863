import { describe, expect, test } from 'vitest';
import { accountStatuses, accountTransitions, kybStatuses } from '../../../../src/domains/accounts/account-rows.ts';
import {
  isKybValue,
  kybCodes,
  kybRequirements,
  kybTransitions,
  mayReview,
  maySubmit,
  type RequirementStatus,
  refusalOfApproval,
  rejectedRequirements,
  requirementStatuses,
  statusAfterSubmission,
} from '../../../../src/domains/accounts/kyb/lifecycle.ts';

const states = (...statuses: RequirementStatus[]) => statuses.map((status) => ({ required: true, status }));

describe('the lifecycle of a KYB', () => {
  test('the statuses that may follow each status of a KYB and of an account are those of contract 18, and no others', () => {
    // More values may be submitted without a new status.
    const others = Object.entries(kybTransitions).map(([from, to]) => [from, to.filter((status) => status !== from)]);
    expect(Object.fromEntries(others)).toEqual({
      not_started: ['in_progress', 'submitted'],
      in_progress: ['submitted'],
      submitted: ['approved', 'rejected'],
      rejected: ['submitted'],
      approved: [],
    });
    expect(accountTransitions).toEqual({
      pending_operator_assignment: ['active', 'closed'],
      active: ['suspended', 'closed'],
      suspended: ['active', 'closed'],
      closed: [],
    });
  });

  test('every state can be reached, and only approved is final', () => {
    const reached = new Set(['not_started', ...kybStatuses.flatMap((status) => kybTransitions[status])]);
    expect([...reached].sort()).toEqual([...kybStatuses].sort());
    expect(kybStatuses.filter((status) => kybTransitions[status].length === 0)).toEqual(['approved']);
  });

  test('a value is accepted before a review and after a rejection, never once approved', () => {
    const table = kybStatuses.map((kyb) => [kyb, requirementStatuses.filter((status) => maySubmit(kyb, status))]);
    expect(Object.fromEntries(table)).toEqual({
      not_started: ['missing', 'submitted', 'rejected'],
      in_progress: ['missing', 'submitted', 'rejected'],
      submitted: [],
      approved: [],
      rejected: ['missing', 'submitted', 'rejected'],
    });
  });

  test('it is submitted once no required value is missing or rejected', () => {
    expect(statusAfterSubmission('not_started', states('submitted', 'missing'))).toBe('in_progress');
    expect(statusAfterSubmission('in_progress', states('submitted', 'submitted'))).toBe('submitted');
    expect(statusAfterSubmission('rejected', states('submitted', 'rejected'))).toBe('rejected');
    expect(statusAfterSubmission('rejected', states('submitted', 'approved'))).toBe('submitted');
    expect(statusAfterSubmission('in_progress', [...states('submitted'), { required: false, status: 'missing' }])).toBe(
      'submitted',
    );
  });

  test('a reviewer decides, and may correct, submitted values while the whole is submitted', () => {
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

  test('a rejection returns the rejected requirements, or all if none was rejected', () => {
    expect(rejectedRequirements(states('submitted', 'rejected', 'approved'))).toEqual(states('rejected'));
    expect(rejectedRequirements(states('submitted', 'approved', 'missing'))).toEqual(states('submitted', 'approved'));
  });

  test('an account is activated, suspended and reactivated by an operator; closed is final', () => {
    expect(accountStatuses.filter((status) => accountTransitions[status].length === 0)).toEqual(['closed']);
    expect(accountTransitions.pending_operator_assignment).not.toContain('suspended');
    expect(Object.values(accountTransitions).flat()).not.toContain('pending_operator_assignment');
  });
});

describe('requirements', () => {
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
