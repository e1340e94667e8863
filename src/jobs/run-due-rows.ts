import { Recent } from '../lib/recent.ts';
import { type SlotLimit, Slots } from '../lib/slots.ts';

/** How long a processor counts as unresponsive after a call that it did not answer in time. */
const unresponsiveMs = 60_000;

/**
 * The processors that have not answered this process in time, by id. Their due rows run last, so that they do not delay
 * others. The state is in memory only: a new process detects them again.
 */
const unresponsiveUntil = new Recent<number>(10_000);

export function markUnresponsive(processorId: string, now = performance.now()): void {
  unresponsiveUntil.set(processorId, now + unresponsiveMs);
}

export function markResponsive(processorId: string): void {
  unresponsiveUntil.delete(processorId);
}

/** 0 if the processor is responsive. Of two unresponsive ones, the one that was called first has the smaller number. */
function priority(processorId: string | null, now = performance.now()): number {
  const until = processorId === null ? 0 : (unresponsiveUntil.get(processorId) ?? 0);
  return until > now ? until : 0;
}

/** Whose row it is. Null where a row belongs to no partner, no account or no mode. */
interface Tenant {
  partnerId: string | null;
  platformAccountId: string | null;
  mode: string | null;
}

/** A due row of a job. */
export interface Due extends Tenant {
  id: string;
  /** The processor that is called, or a key that stands for several; null if none is called. */
  processorId: string | null;
}

export const ofNoTenant = { partnerId: null, platformAccountId: null, mode: null, processorId: null } as const;

/** The partners, accounts, modes and processors of which no more rows are to be leased now. */
export interface Saturated {
  /** Partners, each with a mode: `<id>/<mode>`. */
  partners: string[];
  accounts: string[];
  modes: string[];
  processors: string[];
}

export interface Work<Item extends Due> {
  /** Leases due rows, so that no other process gets them. None of `saturated`; an empty list if nothing is due. */
  lease(saturated: Saturated): Promise<readonly Item[]>;
  /** Returns false if the item is not to be counted. */
  run(item: Item): Promise<unknown>;
  /** Called with the error of an item. Other items continue, and this one is due again when its lease ends. */
  failed(error: unknown, item: Item): void;
  stopping: AbortSignal;
  /** The maximum number of items that run concurrently. Default: 24. */
  most?: number;
}

const mostConcurrent = 24;
const mostOfAccount = 4;
const mostOfProcessor = 2;
/** How often due rows are searched for while others are in flight. */
const everyMs = 1_000;

/**
 * Runs the due rows of a job concurrently, so that the rows of one tenant do not delay those of others, however many and slow they are:
 * - at most four rows of an account, two of a processor, two thirds of the slots of a partner in a mode, and three
 *   quarters of test mode;
 * - of rows that wait, first those of the partner, then of the account with the fewest in flight;
 * - rows of unresponsive processors last, one of each, in at most half of the slots;
 * - more rows are leased while slow ones are in flight, and none of those who have enough.
 *
 * Returns the number of items done when nothing is due or in flight.
 */
export async function runDueRows<Item extends Due>(work: Work<Item>): Promise<number> {
  const { stopping, most = mostConcurrent } = work;
  const slots = new Slots(most);
  const waiting = new Map<string, Item>();
  const inFlight = new Map<string, { item: Item; ended: Promise<void> }>();
  let done = 0;

  function startWaiting(): void {
    while (!stopping.aborted) {
      const item = nextOf(waiting.values(), slots, most);
      if (!item) return;
      waiting.delete(item.id);
      const leave = slots.take(limitsOf(item, most));
      const ended = runOne(item).finally(() => {
        leave();
        inFlight.delete(item.id);
      });
      inFlight.set(item.id, { item, ended });
    }
  }

  async function runOne(item: Item): Promise<void> {
    try {
      if ((await work.run(item)) !== false) done += 1;
    } catch (error) {
      work.failed(error, item);
    }
  }

  async function leaseMore(): Promise<number> {
    if (stopping.aborted || slots.left <= 0) return 0;
    const leased = await work.lease(
      saturatedBy([...[...inFlight.values()].map(({ item }) => item), ...waiting.values()], most),
    );
    const fresh = leased.filter(({ id }) => !waiting.has(id) && !inFlight.has(id));
    for (const item of fresh) waiting.set(item.id, item);
    return fresh.length;
  }

  for (;;) {
    startWaiting();
    // Only a lease that leaves out no tenant tells that nothing is due. Rows in flight can end while it is made.
    const leavesOutNone = inFlight.size === 0;
    const leased = await leaseMore();
    startWaiting();
    if (leased > 0 && slots.left > 0) continue;
    const ends = [...inFlight.values()].map(({ ended }) => ended);
    if (stopping.aborted) await Promise.all(ends);
    if (inFlight.size > 0) await Promise.race([...ends, pause(stopping)]);
    else if (leavesOutNone || stopping.aborted) return done;
  }
}

/** A `lease` of rows that are already known. Its second call returns none. */
export function leaseOnce<Item>(items: readonly Item[]): () => Promise<readonly Item[]> {
  let left = items;
  return async () => {
    const given = left;
    left = [];
    return given;
  };
}

/** A `lease` of rows that are listed until they are done: of each run, every row once. */
export function leaseEachOnce<Item extends Due>(list: () => Promise<readonly Item[]>): () => Promise<readonly Item[]> {
  const given = new Set<string>();
  return async () => {
    const fresh = (await list()).filter(({ id }) => !given.has(id));
    for (const { id } of fresh) given.add(id);
    return fresh;
  };
}

/** The row that begins next of those that have room. */
function nextOf<Item extends Due>(waiting: Iterable<Item>, slots: Slots, most: number): Item | undefined {
  let next: Item | undefined;
  for (const item of waiting)
    if (slots.hasRoom(limitsOf(item, most)) && (next === undefined || isBefore(item, next, slots))) next = item;
  return next;
}

function isBefore(one: Due, other: Due, slots: Slots): boolean {
  const ranks = ({ partnerId, platformAccountId, mode, processorId }: Due) => [
    priority(processorId),
    slots.takenBy(slotOf.partners(`${partnerId}/${mode}`)),
    slots.takenBy(slotOf.accounts(platformAccountId ?? '')),
  ];
  const [left, right] = [ranks(one), ranks(other)];
  const differing = left.findIndex((rank, index) => rank !== right[index]);
  return differing >= 0 && (left[differing] ?? 0) < (right[differing] ?? 0);
}

const slotOf = {
  partners: (id: string) => `partner ${id}`,
  accounts: (id: string) => `account ${id}`,
  modes: (mode: string) => `mode ${mode}`,
  processors: (id: string) => `processor ${id}`,
};

function limitsOf({ partnerId, platformAccountId, mode, processorId }: Due, most: number): SlotLimit[] {
  const isResponsive = priority(processorId) === 0;
  const limits: SlotLimit[] = [];
  if (partnerId !== null)
    limits.push({ name: slotOf.partners(`${partnerId}/${mode}`), most: Math.ceil((most * 2) / 3) });
  if (platformAccountId !== null) limits.push({ name: slotOf.accounts(platformAccountId), most: mostOfAccount });
  if (mode === 'test') limits.push({ name: slotOf.modes(mode), most: Math.ceil((most * 3) / 4) });
  if (processorId !== null)
    limits.push({ name: slotOf.processors(processorId), most: isResponsive ? mostOfProcessor : 1 });
  if (!isResponsive) limits.push({ name: 'unresponsive', most: Math.ceil(most / 2) });
  return limits;
}

/** Those who have rows for all of their slots, in flight or waiting here. */
function saturatedBy(items: readonly Due[], most: number): Saturated {
  const planned = new Slots(Number.POSITIVE_INFINITY);
  const full = new Set<string>();
  for (const item of items) {
    const limits = limitsOf(item, most);
    if (planned.hasRoom(limits)) planned.take(limits);
    for (const limit of limits) if (!planned.hasRoom([limit])) full.add(limit.name);
  }
  const named = (of: (id: string) => string) =>
    [...full].filter((name) => name.startsWith(of(''))).map((name) => name.slice(of('').length));
  return {
    partners: named(slotOf.partners),
    accounts: named(slotOf.accounts),
    modes: named(slotOf.modes),
    processors: named(slotOf.processors),
  };
}

function pause(stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, everyMs);
    if (stopping.aborted) end();
    else stopping.addEventListener('abort', end);
  });
}
