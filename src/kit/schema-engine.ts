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
import { openPool } from './pool.ts';

export interface EngineOptions {
  schema?: SchemasContainer;
  /** Whether the caller has begun a transaction on the pool's connection. */
  inTransaction?: boolean;
}

export const noFilter = { externalTables: [], externalEnums: [] };

/**
 * Prisma's schema engine in WebAssembly, over the one connection of `pool` (its `max` must be 1): whoever begins a transaction
 * there has all that the engine does in it.
 */
export async function loadSchemaEngine(
  pool: pg.Pool,
  { schema = onlyProvider, inTransaction = false }: EngineOptions = {},
): Promise<SchemaEngine> {
  const { SchemaEngine } = await (loaded ??= load());
  return SchemaEngine.new(
    { datamodels: schema.files.map(({ path, content }) => [path, content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapterFactory(pool, inTransaction)),
  );
}

let loaded: ReturnType<typeof load> | undefined;

/** Once a process: a second instance would take the first one's memory away under its feet. */
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
    './schema_engine_bg.js': { ...(engine as unknown as WebAssembly.ModuleImports), ...patientTimers(engine) },
  }); // its exports are the imports
  engine.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)(); // what the main entry calls, too
  return engine;
}

/** The engine gives its lock ten seconds and forgets to stop that clock: a process that is done must not wait for it. */
function patientTimers(engine: object): WebAssembly.ModuleImports {
  const timers = Object.entries(engine).filter(([name]) => name.startsWith('__wbg_setTimeout'));
  return Object.fromEntries(
    timers.map(([name, start]: [string, (...parts: unknown[]) => unknown]) => [
      name,
      (...parts: unknown[]) => {
        const timer = start(...parts);
        if (timer instanceof Object && 'unref' in timer) (timer as NodeJS.Timeout).unref(); // what setTimeout gave
        return timer;
      },
    ]),
  );
}

/** Applying migrations needs no models, but the engine wants to be told the kind of database by a schema. */
const onlyProvider: SchemasContainer = {
  files: [{ path: 'provider.prisma', content: 'datasource db {\n  provider = "postgresql"\n}\n' }],
};

/** The engine names the reason of a panic by this way alone, and then stops with "unreachable". */
function rememberPanic(message: string): never {
  throw new Error(`The schema engine broke: ${message}`);
}

function adapterFactory(pool: pg.Pool, inTransaction: boolean): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg(pool);
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = whole(await factory.connect());
      return inTransaction ? withSavepoints(adapter, pool) : adapter;
    },
    connectToShadowDb: () => connectToShadow(pool),
  };
}

/** The engine reports a script's error as "External error id#1": this is the error itself. */
let scriptError: unknown;

export function takeScriptError(): unknown {
  const error = scriptError;
  scriptError = undefined;
  return error;
}

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/** The adapter's own way drops the shadow database while it is still connected to it, and misses it when given a connection string. */
async function connectToShadow(pool: pg.Pool): Promise<Adapter> {
  const name = `shadow_${randomUUID().replaceAll('-', '')}`;
  await pool.query(`CREATE DATABASE ${name}`);
  const { host, port, user, password, ssl } = new pg.Client(pool.options);
  const shadow = openPool({ host, port, user, password, ssl: ssl as pg.PoolConfig['ssl'], database: name, max: 1 }); // declared a boolean, and it is what was given
  const adapter = whole(await new PrismaPg(shadow).connect());
  adapter.dispose = async () => {
    await shadow.end();
    await pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
  };
  return adapter;
}

/** Two things of the adapter that serve queries well and migrations badly, set right. */
function whole(adapter: Adapter): Adapter {
  const driver = adapter.underlyingDriver();
  const query = driver.query.bind(driver) as (config: pg.QueryConfig) => Promise<pg.QueryResult>; // the one overload the adapter uses
  // PostgreSQL's catalogs have a one-letter type that the engine asks for and the adapter does not know: it gets texts, and we
  // say letters to the engine.
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
  adapter.queryRaw = async (asked) => {
    const result = await queryRaw(asked);
    for (const index of letters) result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
  // The adapter cuts a script at every semicolon, also within a function's body or a comment. PostgreSQL itself knows better.
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

/** The engine asks for tables that may not be there, and an error would end the transaction around it. */
function withSavepoints(adapter: Adapter, pool: pg.Pool): Adapter {
  const { queryRaw, executeRaw } = adapter;
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await pool.query('SAVEPOINT engine');
    try {
      const result = await work();
      await pool.query('RELEASE SAVEPOINT engine');
      return result;
    } catch (error) {
      await pool.query('ROLLBACK TO SAVEPOINT engine');
      throw error;
    }
  };
  adapter.queryRaw = (query) => guarded(() => queryRaw.call(adapter, query));
  adapter.executeRaw = (query) => guarded(() => executeRaw.call(adapter, query));
  return adapter;
}
