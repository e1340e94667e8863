import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, startServer } from './processes.ts';
import { printTable } from './table.ts';
import type { Workload } from './workloads.ts';

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

/** The layer of a stack frame, by its file. Frames of Node itself belong to their caller. */
const layers: readonly (readonly [layer: string, url: RegExp])[] = [
  ['driver (pg)', /node_modules\/pg/],
  ['graph (Pothos, graphql-jit)', /node_modules\/(@pothos|graphql)|src\/graph\/|src\/[a-z]+\/(schema|types)\.ts/],
  ['facade (rest/)', /\/rest\//],
  ['Express', /node_modules\/(express|router|body-parser|helmet|finalhandler)/],
  [
    'log and figures',
    /node_modules\/(pino|sonic-boom|prom-client|quick-format|fast-safe|@pinojs)|src\/kit\/(log|metrics)\.ts/,
  ],
  ['our operations (src/)', /\/src\//],
];
const others = ['Node: HTTP, sockets, timers', 'garbage collection', 'waiting (idle)'] as const;

/** Prints the share of each layer in the server's thread, from a CPU profile of each workload under the same load. */
export async function layersOf(
  workloads: readonly Workload[],
  script: string,
  env: Record<string, string>,
  load: (server: Server, workload: Workload) => Promise<unknown>,
): Promise<void> {
  const shown = workloads.filter(({ name }) =>
    ['customers, page 1', 'charge, with Idempotency-Key', 'auth/test'].includes(name),
  );
  const shares: Map<string, number>[] = [];
  for (const workload of shown) shares.push(await sharesOf(workload, script, env, load));
  const names = [...layers.map(([name]) => name), ...others];
  console.log(
    "Share of the server thread's time, from a CPU profile under load; Node's own frames count for the layer " +
      'that called them:',
  );
  printTable(
    ['%', ...shown.map(({ name }) => name)],
    names.map((name) => [name, ...shares.map((share) => (100 * (share.get(name) ?? 0)).toFixed(1))]),
  );
}

async function sharesOf(
  workload: Workload,
  script: string,
  env: Record<string, string>,
  load: (server: Server, workload: Workload) => Promise<unknown>,
): Promise<Map<string, number>> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-profile-'));
  try {
    const server = await startServer(script, env, ['--cpu-prof', `--cpu-prof-dir=${dir}`]);
    await load(server, workload);
    await server.stop();
    const file = readdirSync(dir).find((name) => name.endsWith('.cpuprofile'));
    // written by Node
    return file === undefined ? new Map() : shareByLayer(JSON.parse(readFileSync(join(dir, file), 'utf8')) as Profile);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function shareByLayer({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const layerOf = new Map<number, string>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (node: ProfileNode, inherited: string): void => {
    const layer = layerOfFrame(node.callFrame) ?? inherited;
    layerOf.set(node.id, layer);
    for (const child of node.children ?? []) visit(byId.get(child) ?? node, layer);
  };
  const root = nodes[0];
  if (root) visit(root, others[0]);
  const times = new Map<string, number>();
  // Samples of start and stop are not part of the workload: only the middle of the profile is counted.
  const from = Math.floor(samples.length * 0.5);
  const to = Math.floor(samples.length * 0.85);
  let total = 0;
  for (let at = from; at < to; at++) {
    const layer = layerOf.get(samples[at] ?? 0) ?? others[0];
    const time = timeDeltas[at] ?? 0;
    total += time;
    times.set(layer, (times.get(layer) ?? 0) + time);
  }
  return new Map([...times].map(([layer, time]) => [layer, time / total]));
}

function layerOfFrame({ functionName, url }: ProfileNode['callFrame']): string | undefined {
  if (functionName === '(garbage collector)') return others[1];
  if (functionName === '(idle)') return others[2];
  // Code compiled by graphql-jit and functions written in C++ have no file: they also belong to their caller.
  if (url === '' || url.startsWith('node:')) return undefined;
  return layers.find(([, pattern]) => pattern.test(url))?.[0];
}
