import { Overloaded, RateLimited } from '../lib/errors.ts';
import { networkOf } from '../lib/network.ts';

/** The memory of one process for request bodies, from their first byte until they are parsed. */
export interface BodyMemory {
  hold(address: string): HeldBody;
  /** Of all bodies that are not small. */
  readonly bytes: number;
}

/** A small body is neither counted nor rejected. */
export interface HeldBody {
  /** Sets the memory that it uses. `refuse` is called if the body must be dropped, now or until it is complete. */
  grow(bytes: number, refuse: (refusal: RateLimited | Overloaded) => void): void;
  complete(): void;
  release(): void;
}

export const smallBodyBytes = 16 * 1024;
/** Of one client address; of an IPv6 address its /64. */
export const addressBytesMax = 16 * 1024 * 1024;
/** A fraction of the memory of a small server. */
export const processBytesMax = 64 * 1024 * 1024;
/** How much is freed in one go, since finding the largest bodies takes longer the more there are. */
const roomBytes = processBytesMax / 8;
const retryAfterS = 2;

const ofAddress = `The bodies of more than ${smallBodyBytes} bytes that one address sent may take ${addressBytesMax} bytes together`;

interface Held {
  network: string;
  bytes: number;
  /** Null for a body that no longer grows. */
  refuse: ((refusal: RateLimited | Overloaded) => void) | null;
}

/**
 * Above the bound of an address, the body that grew is rejected. Above the bound of the process, bodies are rejected by
 * network, the one with the most bytes first, and the largest body first, so that clients who fill the memory lose
 * their own bodies.
 */
export function createBodyMemory(): BodyMemory {
  const byNetwork = new Map<string, number>();
  const growing = new Set<Held>();
  let all = 0;

  const ofNetwork = (network: string): number => byNetwork.get(network) ?? 0;

  function set(held: Held, bytes: number): void {
    const sum = ofNetwork(held.network) + bytes - held.bytes;
    if (sum === 0) byNetwork.delete(held.network);
    else byNetwork.set(held.network, sum);
    all += bytes - held.bytes;
    held.bytes = bytes;
  }

  function drop(held: Held, refusal: RateLimited | Overloaded): void {
    const { refuse } = held;
    growing.delete(held);
    set(held, 0);
    refuse?.(refusal);
  }

  function makeRoom(): void {
    const ordered = [...growing]
      .map((held) => ({ held, beside: ofNetwork(held.network) }))
      .sort((left, right) => right.beside - left.beside || right.held.bytes - left.held.bytes);
    for (const { held } of ordered) {
      if (all <= processBytesMax - roomBytes) return;
      drop(held, new Overloaded());
    }
  }

  return {
    hold(address) {
      const held: Held = { network: networkOf(address), bytes: 0, refuse: null };
      return {
        grow(bytes, refuse) {
          if (bytes <= smallBodyBytes) return;
          held.refuse = refuse;
          growing.add(held);
          set(held, bytes);
          if (ofNetwork(held.network) > addressBytesMax) drop(held, new RateLimited(retryAfterS, {}, ofAddress));
          else if (all > processBytesMax) makeRoom();
        },
        complete: () => void growing.delete(held),
        release() {
          growing.delete(held);
          set(held, 0);
        },
      };
    },
    get bytes() {
      return all;
    },
  };
}
