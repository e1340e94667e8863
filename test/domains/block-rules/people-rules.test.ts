import { expect, test } from 'vitest';
import { type SignedIn, signedIn } from '../../iam/people.ts';
import { asOwner } from '../../support/database.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const foreign = await (await seedPartner(platform)).account();
const live = await (await seedPartner(platform, 'live', partner.id)).account();
const person = (role: string, isScoped = false): Promise<SignedIn> =>
  signedIn(platform, { platformRoles: [role], whitelabelOwnership: isScoped ? partner.slug : null });
const hubadmin = await person('hubadmin');
const partneradmin = await person('partneradmin', true);
const manager = await person('accountmanager', true);
const reason = 'charges with stolen cards';

const documents = {
  create: `mutation ($input: CreateBlockRuleInput!, $platformAccountId: ID, $reason: Name) {
    createBlockRule(input: $input, platformAccountId: $platformAccountId, reason: $reason) {
      id name platformAccountId storeId livemode paymentId isPermanent account { id }
    }
  }`,
  remove: `mutation ($blockRuleId: ID!, $reason: Name) {
    deleteBlockRule(blockRuleId: $blockRuleId, reason: $reason) { id deleted }
  }`,
  list: `query ($platformAccountId: ID, $mode: Mode) {
    blockRules(mode: $mode, filters: { platformAccountId: $platformAccountId }) { total items { id } }
  }`,
};

/** The answer, or the code of its error with its reason or its first field. */
async function act(
  by: Pick<SignedIn, 'graphql'>,
  what: keyof typeof documents,
  variables: Record<string, unknown>,
  key = '',
): Promise<any> {
  const headers: Record<string, string> = key === '' ? {} : { 'Idempotency-Key': key };
  const { data, errors } = await by.graphql(documents[what], variables, headers);
  if (!errors) return Object.values(data)[0];
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}
const input = (more: object = {}) => ({ name: 'Stolen', email: 'thief@example.com', ...more });
const create = (by: SignedIn, more: object = {}, key = '') =>
  act(by, 'create', { input: input(), platformAccountId: account.id, reason, ...more }, key);

async function auditOf(target: string): Promise<{ action: string; before: any; after: any }[]> {
  const { rows } = await asOwner<{ action: string; before: object; after: object }>(
    platform,
    `SELECT action, before, after FROM audit_rows WHERE target = $1 ORDER BY at, id`,
    [target],
  );
  return rows;
}

test('200 for admins of the partner and of the platform: the card of a payment is declined until the rule is deleted', async () => {
  for (const by of [partneradmin, hubadmin]) {
    const { id: paymentInstrumentId } = await account.instrument();
    const charge = async () =>
      (await account.api.ok('/payments/process', { paymentInstrumentId, amount: 900, currency: 'USD' })).payment;
    const paid = await charge();
    const rule = await act(by, 'create', {
      input: { name: 'Card of a thief', paymentId: paid.id },
      platformAccountId: account.id,
      reason,
    });
    expect(rule).toMatchObject({
      platformAccountId: account.id,
      storeId: null,
      livemode: false,
      paymentId: paid.id,
      isPermanent: false,
    });
    expect(await charge()).toMatchObject({ status: 'declined', failureCode: 'blocked_by_rule' });
    expect(await act(by, 'remove', { blockRuleId: rule.id, reason: 'a mistake' })).toEqual({
      id: rule.id,
      deleted: true,
    });
    expect((await charge()).status).toBe('succeeded');
    expect(await auditOf(rule.id)).toMatchObject([
      { action: 'createBlockRule', after: { name: 'Card of a thief', criteria: ['paymentId'], reason } },
      { action: 'deleteBlockRule', before: { name: 'Card of a thief' }, after: { deleted: true, reason: 'a mistake' } },
    ]);
  }
});

test('the rule has the mode of the account, and a repeat with the key of the call is the same rule', async () => {
  const inLive = await create(partneradmin, { platformAccountId: live.id });
  expect(inLive).toMatchObject({ livemode: true, platformAccountId: live.id });
  const [first, again] = [await create(partneradmin, {}, 'once'), await create(partneradmin, {}, 'once')];
  expect(again.id).toBe(first.id);
  const audited = await auditOf(first.id);
  expect(audited).toMatchObject([{ after: { criteria: ['email'] } }]);
  expect(JSON.stringify(audited)).not.toContain('thief@');
});

test('400 naming the argument that people must give or keys must not give, and nothing is created', async () => {
  const before = await platform.services.prisma.blockRule.count();
  expect(await create(hubadmin, { reason: null })).toBe('INPUT_PARSE_ERROR reason');
  expect(await create(hubadmin, { platformAccountId: null })).toBe('INPUT_PARSE_ERROR platformAccountId');
  expect(await create(hubadmin, { input: input({ storeId: account.storeId }) })).toBe(
    'INPUT_PARSE_ERROR input.storeId',
  );
  expect(await create(hubadmin, { input: { name: 'Nothing' } })).toMatch(/^INPUT_PARSE_ERROR/);
  const byKey = { input: input(), reason: null, platformAccountId: null };
  expect(await act(account.api, 'create', { ...byKey, reason })).toBe('INPUT_PARSE_ERROR reason');
  expect(await act(account.api, 'create', { ...byKey, platformAccountId: account.id })).toBe(
    'INPUT_PARSE_ERROR platformAccountId',
  );
  expect(await platform.services.prisma.blockRule.count()).toBe(before);
});

test('404 for an account, a payment or a rule of another partner, 403 for people who may only read', async () => {
  const { id: ruleOfOther } = await foreign.api.ok('/block-rules', input());
  const { payment } = await foreign.charge();
  expect(await create(partneradmin, { platformAccountId: foreign.id })).toMatch(/NOT_FOUND$/);
  expect(await create(partneradmin, { input: { name: 'x', paymentId: payment['id'] } })).toMatch(/NOT_FOUND$/);
  expect(await act(partneradmin, 'remove', { blockRuleId: ruleOfOther, reason })).toMatch(/NOT_FOUND$/);
  const { id } = await create(hubadmin);
  expect(await create(manager)).toMatch(/^FORBIDDEN/);
  expect(await act(manager, 'remove', { blockRuleId: id, reason })).toMatch(/^FORBIDDEN/);
  const own = await act(manager, 'list', { mode: 'test', platformAccountId: account.id });
  expect(own.items.map((rule: { id: string }) => rule.id)).toContain(id);
  expect(await act(manager, 'list', { mode: 'test', platformAccountId: foreign.id })).toMatchObject({ items: [] });
  expect(await act(manager, 'list', { platformAccountId: account.id })).toBe('INPUT_PARSE_ERROR mode');
  expect(await act(hubadmin, 'remove', { blockRuleId: ruleOfOther, reason })).toMatchObject({ deleted: true });
});
