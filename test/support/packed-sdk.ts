import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const npmOptions = ['--no-update-notifier', '--no-audit', '--no-fund', '--loglevel=error'];

/** An empty project into which the packed SDK was installed, as by a merchant's developer. */
export interface PackedSdk {
  /** The folder of the project. */
  folder: string;
  /** The file that would be published. */
  tarball: string;
  write(name: string, text: string): void;
  /** Runs a file of the project and returns what it printed. */
  run(name: string, env?: Record<string, string>): Promise<string>;
  remove(): void;
}

/** Packs the SDK, and installs it into an empty folder from files, without a registry. */
export async function installPackedSdk(): Promise<PackedSdk> {
  const files = mkdtempSync(join(tmpdir(), 'sdk-packed-'));
  const folder = mkdtempSync(join(tmpdir(), 'sdk-project-'));
  const to = ['--pack-destination', files, ...npmOptions];
  await run('npm', ['pack', '--workspace', 'sdk', ...to], { cwd: root });
  const needed = ['standardwebhooks', '@stablelib/base64', 'fast-sha256'];
  const folders = needed.map((name) => join(root, 'node_modules', name));
  await run('npm', ['pack', '--ignore-scripts', ...folders, ...to], { cwd: files });
  const packed = readdirSync(files).map((name) => join(files, name));
  writeFileSync(join(folder, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }\n');
  await run('npm', ['install', '--offline', '--ignore-scripts', ...packed, ...npmOptions], { cwd: folder });
  return {
    folder,
    tarball: packed.find((path) => path.includes('partner-payments-sdk')) ?? '',
    write: (name, text) => writeFileSync(join(folder, name), text),
    async run(name, env = {}) {
      const options = { cwd: folder, env: { PATH: process.env['PATH'], ...env } };
      return (await run(process.execPath, [name], options)).stdout;
    },
    remove() {
      for (const path of [files, folder]) rmSync(path, { recursive: true, force: true });
    },
  };
}
