import { describe, expect, test } from 'vitest';
import { ownViewsMax } from '../../src/operators/saved-views/saved-views.ts';
import { type SignedIn, signedIn, signInEachRole } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const { prisma } = platform.services;
const partner = await seedPartner(platform);
const other = await seedPartner(platform);
const who = await signInEachRole(platform, partner);
const staff = (role: string) => signedIn(platform, { platformRoles: [role] });
const ofPartner = (role: string, { slug } = partner) =>
  signedIn(platform, { platformRoles: [role], whitelabelOwnership: slug });

async function ask(person: SignedIn, field: string, args: Record<string, unknown>, types: string): Promise<any> {
  const names = Object.keys(args);
  const declared = types.split(' ').map((type, index) => `$${names[index]}: ${type}`);
  const { data, errors } = await person.graphql(
    `${field === 'savedViews' ? 'query' : 'mutation'} (${declared.join(', ')}) {
      done: ${field}(${names.map((name) => `${name}: $${name}`).join(', ')}) { id name query isShared isOwn ownerEmail }
    }`,
    args,
  );
  return errors ? errors[0].extensions : data.done;
}
const save = (person: SignedIn, changes: object = {}) =>
  ask(
    person,
    'saveView',
    { list: 'payments', name: 'Declined', query: 'status=declined', isShared: true, ...changes },
    'Handle! Label! ShortText! Boolean!',
  );
const remove = (person: SignedIn, id: string) => ask(person, 'deleteView', { id }, 'ID!');
const namesOf = async (person: SignedIn, list = 'payments') =>
  (await ask(person, 'savedViews', { list }, 'Handle!')).map(({ name }: { name: string }) => name);

describe('who sees a view', () => {
  test('a shared view of internal staff: internal staff, and no user of a partner; its list alone has it', async () => {
    const owner = await staff('hubadmin');
    expect(await save(owner, { name: 'Of staff' })).toMatchObject({
      isOwn: true,
      isShared: true,
      query: 'status=declined',
    });
    expect(await namesOf(await staff('accountmanager'))).toContain('Of staff');
    expect(await namesOf(await ofPartner('partneradmin'))).not.toContain('Of staff');
    expect(await namesOf(owner, 'orders')).toEqual([]);
  });

  test('a shared view of a partner: people of the same partner, and neither another partner nor internal staff', async () => {
    await save(await ofPartner('partneradmin'), { name: 'Of a partner' });
    expect(await namesOf(await ofPartner('accountmanager'))).toContain('Of a partner');
    expect(await namesOf(await ofPartner('partneradmin', other))).not.toContain('Of a partner');
    expect(await namesOf(await staff('superadmin'))).not.toContain('Of a partner');
  });

  test('a view that is not shared: its owner', async () => {
    const owner = await staff('hubadmin');
    await save(owner, { name: 'Private', isShared: false });
    expect(await namesOf(owner)).toContain('Private');
    expect(await namesOf(await staff('hubadmin'))).not.toContain('Private');
  });

  test('a shared view of someone who has left the team: neither the team nor the one that they joined', async () => {
    const [owner, mate] = [await ofPartner('partneradmin'), await ofPartner('accountmanager')];
    const joined = await ofPartner('partneradmin', other);
    await save(owner, { name: 'Of the past' });
    expect(await namesOf(mate)).toContain('Of the past');
    await prisma.iamUser.update({ where: { idpUserId: owner.id }, data: { whitelabelOwnership: other.slug } });
    expect(await namesOf(mate)).not.toContain('Of the past');
    expect(await namesOf(joined)).not.toContain('Of the past');
  });

  test.each([
    ['is deleted', { deletedAt: new Date() }],
    ['is banned', { banned: true }],
    ['has no role any more', { platformRoles: [] }],
  ])('a shared view whose owner %s: no other user', async (_why, changes) => {
    const owner = await staff('hubadmin');
    await save(owner, { name: 'Of a former user' });
    await prisma.iamUser.update({ where: { idpUserId: owner.id }, data: changes });
    expect(await namesOf(await staff('hubadmin'))).not.toContain('Of a former user');
  });

  test('403 for people who read no lists', async () => {
    expect(await save(who.partnerstaff)).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('the owner', () => {
  test('replaces a view by saving one of the same list and name; the views of others of that name stay', async () => {
    const [owner, mate] = [await staff('hubadmin'), await staff('hubadmin')];
    const { id } = await save(owner, { name: 'Twice' });
    await save(mate, { name: 'Twice' });
    expect(await save(owner, { name: 'Twice', query: 'status=succeeded', isShared: false })).toMatchObject({
      id,
      isShared: false,
    });
    const rows = await prisma.savedView.findMany({ where: { name: 'Twice' }, orderBy: { id: 'asc' } });
    expect(rows.map(({ query }) => query)).toEqual(['status=succeeded', 'status=declined']);
  });

  test('alone deletes it: 404 for another, of a view that is gone, and of no identifier', async () => {
    const owner = await staff('hubadmin');
    const { id } = await save(owner, { name: 'Deleted' });
    for (const [person, wanted] of [
      [await staff('superadmin'), id],
      [owner, 'view_none'],
    ] as const)
      expect(await remove(person, wanted)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await remove(owner, id)).toMatchObject({ id });
    expect(await remove(owner, id)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('has at most 100 views, also if the last is saved concurrently; one more is 409 limit_reached, and replacing one is not', async () => {
    const owner = await staff('hubadmin');
    const now = platform.services.clock.now();
    await prisma.savedView.createMany({
      data: Array.from({ length: ownViewsMax - 1 }, (_, index) => ({
        id: `view_${owner.id}_${index}`,
        ownerId: owner.id,
        list: 'orders',
        name: `View ${index}`,
        query: '',
        isShared: false,
        createdAt: now,
        updatedAt: now,
      })),
    });
    const answers = await Promise.all(['A', 'B'].map((name) => save(owner, { name })));
    expect(answers.map(({ data, isOwn }) => data?.reason ?? isOwn).sort()).toEqual(['limit_reached', true]);
    expect(await save(owner, { list: 'orders', name: 'View 0' })).toMatchObject({ isOwn: true });
    expect(await prisma.savedView.count({ where: { ownerId: owner.id } })).toBe(ownViewsMax);
  });
});

test.each([
  ['name', 'x'.repeat(100), 'x'.repeat(101)],
  ['name', 'x', ' '],
  ['query', 'x'.repeat(500), 'x'.repeat(501)],
  ['list', 'x'.repeat(64), 'x'.repeat(65)],
  ['list', 'refund-requests', 'a/b'],
])('%s: %s is saved, %s is 400 and names the field', async (field, good, bad) => {
  const owner = await staff('hubadmin');
  expect(await save(owner, { [field]: good })).toMatchObject({ isOwn: true });
  const refused = await save(owner, { [field]: bad });
  expect(JSON.stringify(refused)).toContain(field);
  expect(await prisma.savedView.count({ where: { ownerId: owner.id } })).toBe(1);
});

test('saving and deleting are in the audit log, with what was before', async () => {
  const owner = await staff('hubadmin');
  const { id } = await save(owner, { name: 'Audited' });
  await remove(owner, id);
  const rows = await prisma.auditRow.findMany({ where: { actorId: owner.id }, orderBy: { at: 'asc' } });
  expect(rows.map(({ action, target }) => `${action} ${target}`)).toEqual([
    'saveView payments Audited',
    `deleteView ${id}`,
  ]);
  expect(rows[1]?.before).toMatchObject({ list: 'payments', name: 'Audited', query: 'status=declined' });
});
