import { type Lane, Places } from '../lib/places.ts';

/** How long a processor counts as late after a call that it did not answer in time. */
const lateMs = 60_000;
const knownMax = 10_000;

/**
 * The connections that have just not answered this process, by their ids. What is due at them comes last, so that they
 * hold up no others. Forgotten with the process, which finds them again.
 */
const lateUntil = new Map<string, number>();

export function markUnresponsive(processorId: string, now = performance.now()): void {
  lateUntil.delete(processorId);
  lateUntil.set(processorId, now + lateMs);
  for (const [oldest] of lateUntil) if (lateUntil.size > knownMax) lateUntil.delete(oldest);
}

export function markResponsive(processorId: string): void {
  lateUntil.delete(processorId);
}

/** 0 if the connection is not late. Of two that are, the one that was asked longer ago has the smaller number. */
function lateness(processorId: string | null, now = performance.now()): number {
  const until = processorId === null ? 0 : (lateUntil.get(processorId) ?? 0);
  return until > now ? until : 0;
}

/** A due row of a job. */
export interface Due {
  id: string;
  /** Null if its work is of no account. */
  platformAccountId: string | null;
  /** The connection that is asked, or what stands for several; null if none is. */
  processorId: string | null;
}

/** Of whom no more is to be leased at the moment. */
export interface Saturated {
  accounts: string[];
  processors: string[];
}

export interface Work<Item extends Due> {
  /** Leases due rows, so that no other process takes them, of nobody in `full`. None if nothing is due. */
  lease(full: Saturated): Promise<readonly Item[]>;
  /** False if the item is not to be counted. */
  run(item: Item): Promise<unknown>;
  /** Learns why an item has failed. It holds up no other item, and is found again when its lease is over. */
  failed(error: unknown, item: Item): void;
  stopping: AbortSignal;
  /** How many items are run at once. Default: 16. */
  most?: number;
}

const mostAtOnce = 16;
const mostOfAccount = 4;
const mostOfProcessor = 2;
/** How often due rows are looked for while others are under way. */
const everyMs = 1_000;

/**
 * Runs the due rows of a job, several at once: a few of each account and of each processor, and those of processors
 * that have just not answered last, one of each, and in half of the places. While slow ones are under way, others are leased, so that
 * nobody waits for a neighbor. Returns the number of items done, when nothing is due or under way.
 */
export async function runDueRows<Item extends Due>(work: Work<Item>): Promise<number> {
  const { stopping, most = mostAtOnce } = work;
  const places = new Places(most);
  const waiting = new Map<string, Item>();
  const inFlight = new Map<string, Promise<void>>();
  let done = 0;

  function startWaiting(): void {
    const inOrder = [...waiting.values()].sort((one, other) => latenessOf(one) - latenessOf(other));
    for (const item of inOrder) {
      const lanes = lanesOf(item, most);
      if (stopping.aborted || !places.hasRoom(lanes)) continue;
      waiting.delete(item.id);
      const leave = places.take(lanes);
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
    if (stopping.aborted || places.left <= 0) return 0;
    const leased = await work.lease(saturatedOf(places, waiting.values()));
    const fresh = leased.filter(({ id }) => !waiting.has(id) && !inFlight.has(id));
    for (const item of fresh) waiting.set(item.id, item);
    return fresh.length;
  }

  for (;;) {
    startWaiting();
    const leased = await leaseMore();
    startWaiting();
    if (leased > 0 && places.left > 0) continue;
    if (stopping.aborted) await Promise.all(inFlight.values());
    if (inFlight.size === 0) return done;
    await Promise.race([...inFlight.values(), pause(stopping)]);
  }
}

/** A lease that gives rows which are known already, once. */
export function leaseOnce<Item>(items: readonly Item[]): () => Promise<readonly Item[]> {
  let left = items;
  return async () => {
    const given = left;
    left = [];
    return given;
  };
}

function latenessOf({ processorId }: Due): number {
  return lateness(processorId);
}

function lanesOf(item: Due, most: number): Lane[] {
  const { platformAccountId, processorId } = item;
  const isPrompt = latenessOf(item) === 0;
  return [
    ...(platformAccountId === null ? [] : [{ name: accountLane(platformAccountId), most: mostOfAccount }]),
    ...(processorId === null ? [] : [{ name: processorLane(processorId), most: isPrompt ? mostOfProcessor : 1 }]),
    ...(isPrompt ? [] : [{ name: 'late', most: Math.ceil(most / 2) }]),
  ];
}

const accountLane = (id: string) => `account ${id}`;
const processorLane = (id: string) => `processor ${id}`;

/** Those with all their places taken, and those of whom rows wait here. */
function saturatedOf(places: Places, waiting: Iterable<Due>): Saturated {
  const accounts = places.lanesAt(mostOfAccount, accountLane(''));
  const processors = new Set(places.lanesAt(mostOfProcessor, processorLane('')));
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
