import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  etcdArguments,
  host,
  type Machine,
  machines,
  password,
  patroniConfig,
  proxyConfig,
} from './patroni-settings.ts';

/**
 * Three machines with Patroni in strict synchronous mode and HAProxy before them, with the settings of
 * docs/self-hosting/high-availability.md. It takes root and Debian's patroni, etcd-server, haproxy, postgresql-15,
 * iproute2 and nftables.
 */
export interface PatroniCluster {
  /** The URL of an empty database through HAProxy, as the owner. */
  readonly url: string;
  /** The version of Patroni, such as `3.0.2`. */
  readonly version: string;
  /** The primary first, then its synchronous standby, then the third. */
  roles(): Promise<Machine[]>;
  /** Sends a signal to everything that runs on a machine, or to its Patroni and PostgreSQL only. */
  signal(machine: Machine, signal: NodeJS.Signals, only?: RegExp): void;
  /** Starts what does not run on a machine. */
  start(machine: Machine): void;
  setNetwork(machine: Machine, state: 'up' | 'down'): void;
  /** Drops what passes between two machines, or no longer. */
  setSilence(one: Machine, other: Machine, isSilent: boolean): void;
  switchover(): Promise<void>;
  killProxy(): void;
  startProxy(): void;
  /** Resolves when every machine runs, one of them is the primary, and the others follow it. */
  whole(): Promise<void>;
  stop(): void;
}

const wholeMaxMs = 90_000;
const asPostgres = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'];

interface Member {
  name: string;
  role: string;
  state: string;
  lag?: number | string;
}

export async function startPatroniCluster(parent: string): Promise<PatroniCluster> {
  chmodSync(parent, 0o755);
  writeFileSync(join(parent, 'haproxy.cfg'), proxyConfig);
  removeMachines();
  sh(`ip link add pp-br type bridge && ip addr add ${host}/24 dev pp-br && ip link set pp-br up`);
  for (const { name, address } of machines) {
    sh(`ip netns add pp-${name} && ip link add pp-${name} type veth peer name eth0 netns pp-${name}`);
    sh(`ip link set pp-${name} master pp-br up && ip -n pp-${name} addr add ${address}/24 dev eth0`);
    sh(`ip -n pp-${name} link set eth0 up && ip -n pp-${name} link set lo up`);
    const dir = join(parent, name);
    sh(`install -d -o postgres -m 700 ${dir}`);
    writeFileSync(join(parent, `${name}.json`), JSON.stringify(patroniConfig({ name, address }, join(dir, 'data'))));
  }

  function start({ name, address }: Machine): void {
    const running = commandsOn(name);
    const inside = ['netns', 'exec', `pp-${name}`, ...asPostgres];
    if (!running.some(({ command }) => command === 'etcd'))
      launch('ip', [...inside, 'etcd', ...etcdArguments({ name, address }, join(parent, name, 'etcd'))]);
    if (!running.some(({ command }) => command.startsWith('patroni')))
      launch('ip', [...inside, 'patroni', join(parent, `${name}.json`)]);
  }

  function launch(command: string, given: string[]): ChildProcess {
    const log = openSync(join(parent, 'cluster.log'), 'a');
    return spawn(command, given, { cwd: parent, stdio: ['ignore', log, log] });
  }

  async function members(): Promise<Member[]> {
    const answers = machines.map(async ({ address }) => {
      const response = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2_000) });
      return ((await response.json()) as { members: Member[] }).members; // documented by Patroni
    });
    return Promise.any(answers);
  }

  async function roles(): Promise<Machine[]> {
    const order = ['leader', 'sync_standby', 'replica'];
    const found = (await members()).toSorted((one, other) => order.indexOf(one.role) - order.indexOf(other.role));
    return found.flatMap(({ name }) => machines.filter((machine) => machine.name === name));
  }

  async function whole(): Promise<void> {
    const until = Date.now() + wholeMaxMs;
    for (;;) {
      if (Date.now() > until) throw new Error(`The cluster is not whole: ${readFileSync(join(parent, 'cluster.log'))}`);
      const now = await members().catch(() => []);
      const follow = now.filter(({ role, state, lag }) => role !== 'leader' && state !== 'stopped' && lag === 0);
      const hasSync = now.some(({ role }) => role === 'sync_standby');
      if (hasSync && follow.length === 2 && now.some(({ role }) => role === 'leader')) return;
      await delay(500);
    }
  }

  let proxy: ChildProcess | undefined;
  const startProxy = (): void => void (proxy = launch('haproxy', ['-f', join(parent, 'haproxy.cfg')]));
  const cluster: PatroniCluster = {
    url: `postgres://postgres:${password}@${host}:5000/platform`,
    version: sh('patroni --version').trim().split(' ').at(-1) ?? '',
    roles,
    signal({ name }, signal, only = /./) {
      for (const { pid, command } of commandsOn(name)) if (only.test(command)) trySignal(pid, signal);
    },
    start,
    setNetwork: ({ name }, state) => void sh(`ip link set pp-${name} ${state}`),
    setSilence(one, other, isSilent) {
      const rules = `add table ip cut; add chain ip cut input { type filter hook input priority 0; };
        add rule ip cut input ip saddr ${other.address} drop`;
      sh(`ip netns exec pp-${one.name} nft '${isSilent ? rules : 'delete table ip cut'}'`);
    },
    async switchover() {
      const [leader] = await roles();
      const body = JSON.stringify({ leader: leader?.name });
      const response = await fetch(`http://${leader?.address}:8008/switchover`, { method: 'POST', body });
      if (response.status !== 200) throw new Error(`No switchover: ${await response.text()}`);
    },
    killProxy: () => void proxy?.kill('SIGKILL'),
    startProxy,
    whole,
    stop() {
      proxy?.kill('SIGKILL');
      removeMachines();
    },
  };
  try {
    for (const machine of machines) start(machine);
    startProxy();
    await whole();
    const [leader] = await roles();
    const server = `postgres://postgres:${password}@${leader?.address}/postgres`;
    sh(`psql '${server}' -qc 'CREATE DATABASE platform'`);
    return cluster;
  } catch (error) {
    cluster.stop();
    throw error;
  }
}

/** Also what a run that was broken off has left. */
function removeMachines(): void {
  for (const { name } of machines) {
    for (const { pid } of commandsOn(name)) trySignal(pid, 'SIGKILL');
    sh(`ip netns del pp-${name} 2>/dev/null; ip link del pp-${name} 2>/dev/null; true`);
  }
  sh('ip link del pp-br 2>/dev/null; true');
}

function commandsOn(name: string): { pid: number; command: string }[] {
  const pids = sh(`ip netns pids pp-${name} 2>/dev/null || true`).trim().split('\n').filter(Boolean).join(',');
  if (pids === '') return [];
  const lines = sh(`ps -o pid=,comm= -p ${pids} || true`).trim().split('\n').filter(Boolean);
  return lines.map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+\s+/, '') }));
}

/** A process that has just ended takes no signal. */
function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

function sh(command: string): string {
  return execFileSync('sh', ['-c', command], { encoding: 'utf8' });
}
