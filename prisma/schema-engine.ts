import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine, SchemasContainer } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { openPool } from '../src/database/pool.ts';

export const noFilter = { externalTables: [], externalEnums: [] };

/** Prisma's schema engine in WebAssembly, on the one connection of `pool`, whose `max` must be 1. */
export async function loadSchemaEngine(pool: pg.Pool, schema: SchemasContainer): Promise<SchemaEngine> {
  const { SchemaEngine } = await (loaded ??= load());
  return SchemaEngine.new(
    { datamodels: schema.files.map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapterFactory(pool)),
  );
}

let loaded: ReturnType<typeof load> | undefined;

/** Loaded once per process: a second instance would release the memory that the first one uses. */
async function load() {
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: rememberPanic } });
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  // The package's main entry imports the .wasm file as a module, for which Node prints a warning.
  const wasm = await readFile(
    join(
      dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')),
      'schema_engine_bg.wasm',
    ),
  );
  const { instance } = await WebAssembly.instantiate(wasm, {
    './schema_engine_bg.js': { ...(engine as unknown as WebAssembly.ModuleImports), ...longTimers(engine) },
  }); // the exports are also the imports
  engine.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)(); // the main entry calls it too
  return engine;
}

/** The engine starts a ten-second timer for its lock and never clears it: a finished process must not wait for it. */
function longTimers(engine: object): WebAssembly.ModuleImports {
  const timers = Object.entries(engine).filter(([name]) => name.startsWith('__wbg_setTimeout'));
  return Object.fromEntries(
    timers.map(([name, start]: [string, (...parts: unknown[]) => unknown]) => [
      name,
      (...parts: unknown[]) => {
        const timer = start(...parts);
        if (timer instanceof Object && 'unref' in timer) (timer as NodeJS.Timeout).unref();
        return timer;
      },
    ]),
  );
}

/** The engine reports the reason of a panic only here, and then stops with "unreachable". */
function rememberPanic(message: string): never {
  throw new Error(`The schema engine broke: ${message}`);
}

function adapterFactory(pool: pg.Pool): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg(pool);
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => correctAdapter(await factory.connect()),
    connectToShadowDb: () => connectToShadow(pool),
  };
}

/** The engine reports an error of a script as "External error id#1"; this is the error itself. */
let scriptError: unknown;

export function takeScriptError(): unknown {
  const error = scriptError;
  scriptError = undefined;
  return error;
}

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/** The adapter's function drops the shadow database while a connection to it is open, which fails. */
async function connectToShadow(pool: pg.Pool): Promise<Adapter> {
  const name = `shadow_${randomUUID().replaceAll('-', '')}`;
  await pool.query(`CREATE DATABASE ${name}`);
  const { host, port, user, password, ssl } = new pg.Client(pool.options);
  // Declared as a boolean; at run time it is the configured value.
  const shadow = openPool({ host, port, user, password, ssl: ssl, database: name, max: 1 });
  const adapter = correctAdapter(await new PrismaPg(shadow).connect());
  adapter.dispose = async () => {
    await shadow.end();
    await pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
  };
  return adapter;
}

/** Replaces two functions of the adapter that do not work for migrations. */
function correctAdapter(adapter: Adapter): Adapter {
  const driver = adapter.underlyingDriver();
  // The only overload that the adapter uses.
  const query = driver.query.bind(driver) as (config: pg.QueryConfig) => Promise<pg.QueryResult>;
  // The adapter does not know the type "char" of PostgreSQL's catalogs: it reads a string, and the engine expects
  // characters.
  let letters: number[] = [];
  const queryAsText = async (config: pg.QueryConfig) => {
    const result = await query(config);
    letters = (result.fields ?? []).flatMap(({ dataTypeID }, index) =>
      dataTypeID === pg.types.builtins.CHAR ? [index] : [],
    );
    for (const index of letters) Object.assign(result.fields[index] ?? {}, { dataTypeID: pg.types.builtins.TEXT });
    return result;
  };
  Object.assign(driver, { query: queryAsText });
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (requested) => {
    const result = await queryRaw(requested);
    for (const index of letters) result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
  // The adapter splits a script at every semicolon, even within a function body or a comment. PostgreSQL does not.
  adapter.executeScript = async (script) => {
    try {
      await query({ text: script });
    } catch (error) {
      scriptError = error;
      throw error;
    }
  };
  return adapter;
}
