import { createHash } from 'node:crypto';
import type pg from 'pg';
import { Recent } from '../lib/recent.ts';

/**
 * A statement, or a part of one: constant texts with a value or another fragment between each two. Has the properties
 * of `Prisma.Sql`, so that Prisma accepts it. The text of a statement depends only on its constant texts, so it is
 * built once for each shape and not for every call: statements of a charge have up to 5 kB.
 */
class Fragment {
  readonly #texts: readonly string[];
  readonly #slots: readonly unknown[];
  #flat: Flat | undefined;

  constructor(texts: readonly string[], slots: readonly unknown[]) {
    this.#texts = texts;
    this.#slots = slots;
  }

  /** The values of the statement, in the order of their placeholders. */
  get values(): unknown[] {
    return this.#flatten().values;
  }

  /** The statement with the placeholders `$1`, `$2` and so on. The same text is the same string. */
  get text(): string {
    return this.#flatten().shape.text;
  }

  get strings(): string[] {
    return this.#flatten().shape.strings;
  }

  get sql(): string {
    return this.strings.join('?');
  }

  get statement(): string {
    return this.text;
  }

  inspect(): { sql: string; statement: string; text: string; values: unknown[] } {
    return { sql: this.sql, statement: this.statement, text: this.text, values: this.values };
  }

  #flatten(): Flat {
    return (this.#flat ??= flat(this));
  }

  /** Visits the constant texts and the values in statement order. */
  static walk(
    fragment: Fragment,
    onTexts: (texts: readonly string[]) => void,
    onValue: (value: unknown) => void,
  ): void {
    onTexts(fragment.#texts);
    for (const slot of fragment.#slots) {
      if (slot instanceof Fragment) Fragment.walk(slot, onTexts, onValue);
      else onValue(slot);
    }
  }

  /** Appends the texts of a fragment to `strings`, whose last entry is the text since the last value. */
  static write(fragment: Fragment, strings: string[]): void {
    fragment.#texts.forEach((text, at) => {
      strings[strings.length - 1] += text;
      if (at === fragment.#slots.length) return;
      const slot = fragment.#slots[at];
      if (slot instanceof Fragment) Fragment.write(slot, strings);
      else strings.push('');
    });
  }
}

interface Flat {
  shape: Shape;
  values: unknown[];
}

interface Shape {
  text: string;
  strings: string[];
}

/** A node for each prefix of a known statement: constant texts, by identity, or a value. */
interface Node {
  next: Map<readonly string[] | typeof aValue, Node>;
  shape: Shape | null;
}

const aValue = Symbol('a value');
const root: Node = { next: new Map(), shape: null };
/** Filters of lists combine into many shapes. Beyond this number of nodes, new shapes are not cached. */
const nodesMax = 50_000;
let nodes = 0;

function flat(fragment: Fragment): Flat {
  const values: unknown[] = [];
  let node: Node | undefined = root;
  Fragment.walk(
    fragment,
    (texts) => (node = node && nextOf(node, texts)),
    (value) => {
      values.push(value);
      node = node && nextOf(node, aValue);
    },
  );
  const known: Node | undefined = node;
  const shape = known?.shape ?? shapeOf(fragment);
  if (known) known.shape = shape;
  return { shape, values };
}

function nextOf(node: Node, key: readonly string[] | typeof aValue): Node | undefined {
  const known = node.next.get(key);
  if (known || nodes >= nodesMax) return known;
  nodes += 1;
  const added: Node = { next: new Map(), shape: null };
  node.next.set(key, added);
  return added;
}

function shapeOf(fragment: Fragment): Shape {
  const strings = [''];
  Fragment.write(fragment, strings);
  return { strings, text: strings.reduce((text, after, at) => `${text}$${at}${after}`) };
}

/**
 * Names of statements, the same for the same text, so that PostgreSQL parses and plans each once per connection. A text
 * gets its name at its `from`th use, so that rare texts do not use up the names. Beyond `namesMax` texts the rest stay
 * unnamed, so that memory is bounded on both sides.
 */
export function statementNames(namesMax: number, from = 1): (text: string) => string | undefined {
  const names = new Map<string, string>();
  const uses = new Recent<number>(namesMax);
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= namesMax) return known;
    const used = (uses.get(text) ?? 0) + 1;
    if (used < from) {
      uses.set(text, used);
      return undefined;
    }
    uses.delete(text);
    const name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
    return name;
  };
}

export const statementName = statementNames(500);

/** Filters of lists combine into many texts, which must not use up the names of other statements. */
const listStatementName = statementNames(500, 3);

const rawFragments = new Map<string, Fragment>();
const identifiers = new Map<string, Fragment>();
const separatorTexts = new Map<string, readonly string[]>();
const rememberedMax = 10_000;

/**
 * SQL as tagged templates: `sql` makes every value a parameter and includes other fragments as they are, so that
 * placeholder numbers are never written by hand. Prisma accepts them as an argument.
 */
export type Sql = Fragment;

export function sql(texts: TemplateStringsArray, ...slots: readonly unknown[]): Sql {
  return new Fragment(texts, slots);
}

/** A constant text without values. Only for texts from our own source. */
export function raw(text: string): Sql {
  return remembered(rawFragments, text, () => new Fragment([text], []));
}

export const empty = raw('');

/** Fragments or values with a separator between them. Throws if there are none. */
export function join(slots: readonly unknown[], separator = ','): Sql {
  if (slots.length === 0) throw new Error('There is nothing to join.');
  return new Fragment(
    remembered(separatorTexts, `${slots.length}${separator}`, () => [
      '',
      ...Array.from<string>({ length: slots.length - 1 }).fill(separator),
      '',
    ]),
    slots,
  );
}

/** Equal constant texts are one object, by which a known shape is found. */
function remembered<Thing>(known: Map<string, Thing>, key: string, make: () => Thing): Thing {
  let thing = known.get(key);
  if (thing === undefined) {
    thing = make();
    if (known.size < rememberedMax) known.set(key, thing);
  }
  return thing;
}

/** A pool or one of its clients. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** Runs a statement under its own name, so that PostgreSQL parses it once per connection, and returns its rows. */
export async function queryRows<Row extends object>(database: Queryable, statement: Sql): Promise<Row[]> {
  return (await database.query<Row & pg.QueryResultRow>(configOf(statement))).rows;
}

/** The first row of a statement, or undefined if it returns none. */
export async function queryRow<Row extends object>(database: Queryable, statement: Sql): Promise<Row | undefined> {
  return (await queryRows<Row>(database, statement))[0];
}

/** Runs the statement of a list, whose filters combine into many texts, and returns its rows. */
export async function queryList<Row extends object>(database: Queryable, { text, values }: Sql): Promise<Row[]> {
  return (await database.query<Row & pg.QueryResultRow>({ name: listStatementName(text), text, values })).rows;
}

/** Runs a statement and returns the number of rows that it changed. */
export async function execute(database: Queryable, statement: Sql): Promise<number> {
  return (await database.query(configOf(statement))).rowCount ?? 0;
}

function configOf({ text, values }: Sql): pg.QueryConfig {
  return { name: statementName(text), text, values };
}

/** A quoted identifier, such as a column that a list sorts by. Only for names from our own source. */
export function identifier(name: string): Sql {
  // Before the closure: statements of writes have a hundred columns.
  const known = identifiers.get(name);
  if (known) return known;
  return remembered(identifiers, name, () => {
    if (!/^[A-Za-z_][A-Za-z_0-9]*(\.[A-Za-z_][A-Za-z_0-9]*)?$/.test(name)) throw new Error(`${name} is no identifier.`);
    return raw(
      name
        .split('.')
        .map((part) => `"${part}"`)
        .join('.'),
    );
  });
}

/** A fixed number written into the text, so that the planner knows it, such as a LIMIT that is always the same. */
export function constant(value: number): Sql {
  return raw(String(value));
}

/** Columns in double quotes and separated by commas, for a column list that is built once. */
export function columnList(columns: readonly string[]): Sql {
  return join(columns.map(identifier), ', ');
}

/** A row of Prisma or of a SQL statement. Its amounts are big integers in the one and numbers in the other. */
export type SqlRow<Row> = { [Name in keyof Row]: bigint extends Row[Name] ? number | Row[Name] : Row[Name] };
