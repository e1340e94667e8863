import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './ports.ts';

/** The program that HAPROXY names, or Debian's; null if there is none, unless HAPROXY says that there must be. */
export const haproxyProgram: string | null =
  process.env['HAPROXY'] ?? (existsSync('/usr/sbin/haproxy') ? '/usr/sbin/haproxy' : null);

export interface RunningProxy {
  url: string;
  stop(): Promise<void>;
}

export interface CellProxy extends RunningProxy {
  /** Sends a request below a host name: GET without a body, POST with one. */
  ask(host: string, path: string, more?: Requested): Promise<ProxyAnswer>;
}

interface Requested {
  /** A bearer token. */
  token?: string;
  cookie?: string;
  /** An address that the client claims to have. */
  forwardedFor?: string | undefined;
  body?: unknown;
}

export interface ProxyAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

const pages = join(import.meta.dirname, '../../docs/self-hosting');

/** HAProxy with the configuration of docs/self-hosting/cells.md. `servers` are by the name of their backend. */
export async function startCellProxy(program: string, servers: Record<string, string>): Promise<CellProxy> {
  const named = Object.entries(servers).map(([name, url]) => [`${name}-1`, url]);
  const proxy = await startProxy(program, 'cells.md', Object.fromEntries(named), {
    'cell-hosts.map': '`/etc/haproxy/cell-hosts.map`:\n\n```',
    'cell-keys.map': 'four lines for each tag:\n\n```',
  });
  const port = Number(new URL(proxy.url).port);
  return { ...proxy, ask: (host, path, more) => ask(port, host, path, more) };
}

/**
 * HAProxy with the configuration of a page. Only what is the machine's is replaced: the port, the directory, and the
 * addresses of the servers, by their name. `files` are those beside the configuration, by the text that is before them.
 */
export async function startProxy(
  program: string,
  page: string,
  servers: Record<string, string>,
  files: Record<string, string> = {},
): Promise<RunningProxy> {
  const dir = mkdtempSync(join(tmpdir(), 'platform-haproxy-'));
  const port = await freePort();
  const text = readFileSync(join(pages, page), 'utf8');
  const config = blockOf(text, '```haproxy')
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replaceAll('/etc/haproxy/', `${dir}/`)
    .replace(
      /^ {2}server (\S+) .*/gm,
      (_line, name: string) => `  server ${name} ${new URL(servers[name] ?? '').host}`,
    );
  writeFileSync(join(dir, 'haproxy.cfg'), config);
  for (const [name, after] of Object.entries(files)) writeFileSync(join(dir, name), blockOf(text, after));
  const child = spawn(program, ['-db', '-f', join(dir, 'haproxy.cfg')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${said}`);
    await delay(20);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The lines of the code block that begins after a text. */
function blockOf(text: string, after: string): string {
  const from = text.indexOf(after);
  if (from < 0) throw new Error(`The page has no ${after}`);
  const begin = text.indexOf('\n', from + after.length) + 1;
  return text.slice(begin, text.indexOf('\n```', begin) + 1);
}

/** Beside fetch, which cannot set the host. */
function ask(
  port: number,
  host: string,
  path: string,
  { token, cookie, forwardedFor, body }: Requested = {},
): Promise<ProxyAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          host,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(cookie !== undefined && { cookie }),
          ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
