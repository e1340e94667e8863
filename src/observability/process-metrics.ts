import { readdir, readFile } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** The lines of `/proc/self/status` that are metrics. */
const memory = {
  process_resident_memory_bytes: { line: 'VmRSS', help: 'Resident memory size in bytes.' },
  process_virtual_memory_bytes: { line: 'VmSize', help: 'Virtual memory size in bytes.' },
  process_heap_bytes: { line: 'VmData', help: 'Process heap size in bytes.' },
} as const;

/**
 * The metrics of the process and of Node. Values in files of the operating system are read asynchronously; the library
 * reads them synchronously, and with thousands of connections the list of open files is long.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  if (process.platform !== 'linux') return;
  for (const [name, { line, help }] of Object.entries(memory))
    replace(registry, { name, help }, async () => {
      const status = await readFile('/proc/self/status', 'utf8');
      const [, size] = new RegExp(`^${line}:\\s*(\\d+) kB$`, 'm').exec(status) ?? [];
      return size === undefined ? undefined : Number(size) * 1024;
    });
  replace(
    registry,
    { name: 'process_open_fds', help: 'Number of open file descriptors.' },
    async () => (await readdir('/proc/self/fd')).length - 1, // without the one that reads the list
  );
}

function replace(
  registry: Registry,
  names: { name: string; help: string },
  read: () => Promise<number | undefined>,
): void {
  registry.removeSingleMetric(names.name);
  new Gauge({
    ...names,
    registers: [registry],
    async collect() {
      const value = await read().catch(() => undefined);
      if (value !== undefined) this.set(value);
    },
  });
}
