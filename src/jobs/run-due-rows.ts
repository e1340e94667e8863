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

/** A due row of a job. */
export interface Due {
  id: string;
  /** Null if the row belongs to no account. */
  platformAccountId: string | null;
  /** The processor that is called, or a key that stands for several; null if none is called. */
  processorId: string | null;
}

/** The accounts and processors of which no more rows are to be leased now. */
export interface Saturated {
  accounts: string[];
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
  /** The maximum number of items that run concurrently. Default: 16. */
  most?: number;
}

const mostConcurrent = 16;
const mostOfAccount = 4;
const mostOfProcessor = 2;
/** How often due rows are searched for while others are in flight. */
const everyMs = 1_000;

/**
 * Runs the due rows of a job concurrently, so that a slow one does not delay others:
 * - at most four rows of an account and two of a processor;
 * - rows of unresponsive processors last, one of each, in at most half of the slots;
 * - more rows are leased while slow ones are in flight.
 *
 * Returns the number of items done when nothing is due or in flight.
 */
export async function runDueRows<Item extends Due>(work: Work<Item>): Promise<number> {
  const { stopping, most = mostConcurrent } = work;
  const slots = new Slots(most);
  const waiting = new Map<string, Item>();
  const inFlight = new Map<string, Promise<void>>();
  let done = 0;

  function startWaiting(): void {
    const inOrder = [...waiting.values()].sort((one, other) => priorityOf(one) - priorityOf(other));
    for (const item of inOrder) {
      const limits = limitsOf(item, most);
      if (stopping.aborted || !slots.hasRoom(limits)) continue;
      waiting.delete(item.id);
      const leave = slots.take(limits);
      const run = runOne(item).finally(() => {
        leave();
        inFlight.delete(item.id);
      });
      inFlight.set(item.id, run);
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
    const leased = await work.lease(saturatedOf(slots, waiting.values()));
    const fresh = leased.filter(({ id }) => !waiting.has(id) && !inFlight.has(id));
    for (const item of fresh) waiting.set(item.id, item);
    return fresh.length;
  }

  for (;;) {
    startWaiting();
    const leased = await leaseMore();
    startWaiting();
    if (leased > 0 && slots.left > 0) continue;
    if (stopping.aborted) await Promise.all(inFlight.values());
    if (inFlight.size === 0) return done;
    await Promise.race([...inFlight.values(), pause(stopping)]);
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

function priorityOf({ processorId }: Due): number {
  return priority(processorId);
}

function limitsOf(item: Due, most: number): SlotLimit[] {
  const { platformAccountId, processorId } = item;
  const isResponsive = priorityOf(item) === 0;
  return [
    ...(platformAccountId === null ? [] : [{ name: accountSlot(platformAccountId), most: mostOfAccount }]),
    ...(processorId === null ? [] : [{ name: processorSlot(processorId), most: isResponsive ? mostOfProcessor : 1 }]),
    ...(isResponsive ? [] : [{ name: 'unresponsive', most: Math.ceil(most / 2) }]),
  ];
}

const accountSlot = (id: string) => `account ${id}`;
const processorSlot = (id: string) => `processor ${id}`;

/** The accounts and processors that use all of their slots, and the processors of rows that wait here. */
function saturatedOf(slots: Slots, waiting: Iterable<Due>): Saturated {
  const accounts = slots.namesAt(mostOfAccount, accountSlot(''));
  const processors = new Set(slots.namesAt(mostOfProcessor, processorSlot('')));
  for (const { processorId } of waiting) if (processorId !== null) processors.add(processorId);
  return { accounts, processors: [...processors] };
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
