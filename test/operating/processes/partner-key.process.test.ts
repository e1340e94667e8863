// guards: src/cli src/iam/partners src/domains/keys src/operators/keys
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { provisionPartner } from '../../../src/iam/partners/provision-partner.ts';
import { toJson } from '../../../src/lib/json.ts';
import { plainKeysOf } from '../../../src/settings/wrapped-keys.ts';
import { clientOf } from '../../support/client.ts';
import { usePlatform } from '../../support/platform.ts';
import { programEnv } from '../../support/program-env.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command as an operator does, on the database of a running platform. */
function partnerKey(...args: string[]): Promise<Ended> {
  const env = {
    ...programEnv,
    DATABASE_URL: platform.databaseUrl,
    ...plainKeysOf(platform.services.config),
  };
  return promisify(execFile)(process.execPath, ['src/cli/platform.ts', 'partner-key', ...args], {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    env,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );
}

test('200 at once with a printed key, which is audited without the secret', async () => {
  const { code, stdout } = await partnerKey(partner.slug, '--mode', 'test', '--label', 'CI');
  expect(code).toBe(0);
  const secret = stdout.trim();
  const tested = await clientOf(platform, secret).ok('/auth/test');
  expect(tested).toMatchObject({ keyKind: 'partner', mode: 'test', partnerId: partner.id });

  const audit = await platform.services.prisma.auditRow.findFirstOrThrow({ where: { target: tested.keyId } });
  expect(audit).toMatchObject({
    actorKind: 'operator-cli',
    action: 'createPartnerKey',
    outcome: 'allowed',
    after: { label: 'CI', mode: 'test', prefix: tested.keyPrefix },
  });
  expect(toJson(audit)).not.toContain(secret.slice(tested.keyPrefix.length));
});

test('with --create it makes a missing partner and leaves an existing one', async () => {
  const made = await partnerKey('brand-new', '--mode', 'live', '--create', 'Brand New');
  const again = await partnerKey('brand-new', '--mode', 'live', '--create', 'Another Name');
  expect([made.code, again.code]).toEqual([0, 0]);
  expect(made.stdout).toMatch(/^tp_sk_partner_live_/);
  expect(
    await platform.services.prisma.partner.findMany({
      where: { slug: 'brand-new' },
      select: { name: true, status: true },
    }),
  ).toEqual([{ name: 'Brand New', status: 'active' }]);
});

test.each([
  ['an unknown slug', 1, ['unknown', '--mode', 'test'], /There is no partner unknown\. There are: .*--create/],
  ['no mode', 2, ['unknown'], /^Required option '--mode <mode>' not specified\.$/m],
  ['an unknown mode', 2, ['unknown', '--mode', 'prod'], /'prod' is invalid\. Allowed choices are test, live\.$/m],
  ['no slug', 2, ['--mode', 'test'], /^Missing required argument 'slug'\.$/m],
  ['an invalid slug', 1, ['No_Slug', '--mode', 'test', '--create', 'Name'], /slug must be 3 to 40 lower-case/],
  [
    'an unknown option',
    2,
    ['unknown', '--mode', 'test', '--creates'],
    /^Unknown option '--creates'\. Did you mean --create\?$/m,
  ],
])('rejects %s in one sentence, exits with %i and prints no key', async (_what, status, args, sentence) => {
  const { code, stdout, stderr } = await partnerKey(...args);
  expect({ code, stdout }).toEqual({ code: status, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('rejects a partner that is offboarded', async () => {
  const { id, slug } = await seedPartner(platform);
  await platform.services.prisma.partner.update({ where: { id }, data: { status: 'offboarded' } });
  expect(await partnerKey(slug, '--mode', 'test')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('offboarded'),
  });
});

test('409 slug_taken for a used slug, as for a superadmin', async () => {
  const { slug } = await seedPartner(platform);
  const writer = {
    services: platform.services,
    actor: { kind: 'operator-cli', id: 'test' },
    requestId: 'cli_taken',
    ip: null,
    idempotency: null,
    answer: { replayed: false },
  };
  await expect(provisionPartner(writer, { slug, name: 'Again' })).rejects.toMatchObject({
    status: 409,
    data: { reason: 'slug_taken' },
  });
});
