import { expect, test } from 'vitest';
import { openEmbeddedIdp } from '../../../src/adapters/embedded-idp/embedded-idp.ts';
import { makeSuperadminAt, type NewSuperadmin } from '../../../src/iam/identity/make-superadmin.ts';
import { embeddedSecret, usePlatform } from '../../support/platform.ts';
import { type People, peopleOf } from './people.ts';

const platform = await usePlatform();
const people: People = peopleOf(platform);

/** Does the same as `platform superadmin` while the platform is running. */
async function make(email: string): Promise<NewSuperadmin> {
  const { config, log, clock } = platform.services;
  const { publicUrl, allowedOrigins } = config;
  const secret = embeddedSecret(config.identity);
  const { databaseUrl } = platform;
  const idp = await openEmbeddedIdp({ databaseUrl, publicUrl, allowedOrigins, secret, log, clock, deliver: null });
  try {
    return await makeSuperadminAt(idp, email, `${publicUrl}/console/`);
  } finally {
    await idp.close();
  }
}

async function accept(acceptUrl: string | undefined): Promise<number> {
  const ticket = new URL(acceptUrl ?? '').searchParams.get('ticket');
  return (
    await fetch(`${platform.url}/idp/accept`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ticket, password: 'the first password' }),
    })
  ).status;
}

test('invites a new person, who accepts and is a superadmin; the command again replaces the link', async () => {
  const [first, second] = [await make('Root@example.com'), await make('root@example.com')];
  if (first.kind !== 'invited' || second.kind !== 'invited') throw new Error('Both were to be invitations.');
  expect(await accept(first.invitation.acceptUrl)).toBe(410);
  expect(await accept(second.invitation.acceptUrl)).toBe(200);
  await platform.idp.flush();
  expect(await platform.services.prisma.iamUser.findFirst({ where: { emailLower: 'root@example.com' } })).toMatchObject(
    {
      platformRoles: ['superadmin'],
      whitelabelOwnership: null,
    },
  );
});

test('promotes an existing account, and the mirror is notified', async () => {
  const person = await people.create({ platformRoles: ['hubadmin'] });
  expect(await make(person.email)).toMatchObject({
    kind: 'promoted',
    user: { platformRoles: ['hubadmin', 'superadmin'] },
  });
  await platform.idp.flush();
  expect(await platform.services.prisma.iamUser.findUnique({ where: { idpUserId: person.id } })).toMatchObject({
    platformRoles: ['hubadmin', 'superadmin'],
  });
});

test('rejects a person of a partner', async () => {
  const person = await people.create({ platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' });
  await expect(make(person.email)).rejects.toThrow('belongs to the partner acme');
});
