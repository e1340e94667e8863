import { AsyncResource } from 'node:async_hooks';
import { type Lane, Places } from '../runtime/places.ts';

/** Places in which the statements of each tenant take turns. */
export interface TenantPlaces {
  /** Runs a statement when its tenant has a place. Throws a timeout of a lock if there is none in time. */
  run<Result>(tenant: string, until: number, statement: () => Promise<Result>): Promise<Result>;
  /** How many wait for a place. */
  readonly waiting: number;
}

interface Waiting {
  lanes: readonly Lane[];
  begin(): void;
}

export function newTenantPlaces(most: number, mostOfTenant: number): TenantPlaces {
  const places = new Places(most);
  const queue = new Set<Waiting>();

  /** Those that may begin, the longest waiting first. */
  function admit(): void {
    for (const waiting of queue) {
      if (places.left <= 0) return;
      if (!places.hasRoom(waiting.lanes)) continue;
      queue.delete(waiting);
      waiting.begin();
    }
  }

  return {
    run(tenant, until, statement) {
      return new Promise((resolve, reject) => {
        const lanes = [{ name: tenant, most: mostOfTenant }];
        const timer = setTimeout(
          () => {
            queue.delete(waiting);
            reject(new LockTimeout());
          },
          Math.max(0, until - performance.now()),
        );
        const waiting: Waiting = {
          lanes,
          // The place is given by a call that ends. Without this the statement would run at the time of that one's test clock.
          begin: AsyncResource.bind(() => {
            clearTimeout(timer);
            const leave = places.take(lanes);
            statement()
              .finally(() => {
                leave();
                admit();
              })
              .then(resolve, reject);
          }),
        };
        queue.add(waiting);
        admit();
      });
    },
    get waiting() {
      return queue.size;
    },
  };
}

/** The statement was not sent: others of its tenant wait for a lock. */
export class LockTimeout extends Error {
  readonly code = '55P03';

  constructor() {
    super('Others of the same tenant wait for a lock.');
  }
}
