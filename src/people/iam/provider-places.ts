import type pg from 'pg';
import { isLockTimeout } from '../../database/statement-errors.ts';
import { newTenantPlaces, type TenantPlaces } from '../../database/tenant-places.ts';
import { waitsOf } from '../../database/waits.ts';
import { Unavailable } from '../../kit/errors.ts';

const ofPools = new WeakMap<pg.Pool, TenantPlaces>();

/** Two in five of the connections, of which one tenant takes at most half. */
function placesOf(pool: pg.Pool): TenantPlaces {
  let places = ofPools.get(pool);
  if (!places) {
    const most = Math.max(1, Math.floor((pool.options?.max ?? 10) * 0.4));
    places = newTenantPlaces(most, Math.max(1, Math.floor(most / 2)));
    ofPools.set(pool, places);
  }
  return places;
}

/**
 * Runs a transaction in which the identity provider is asked: its locks on people keep changes of them apart until the
 * provider has answered. Only so many run in a process, so that a provider which is silent leaves the connections to
 * everybody else. `tenant` is whom the change is for. 503 after five seconds without a place: nothing was done.
 */
export async function askingProvider<Result>(
  { pool }: { pool: pg.Pool },
  tenant: string,
  run: () => Promise<Result>,
): Promise<Result> {
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    return run();
  };
  try {
    return await placesOf(pool).run(tenant, performance.now() + waitsOf(pool).providerPlaceMs, begin);
  } catch (error) {
    if (isBegun || !isLockTimeout(error)) throw error;
    throw new Unavailable('none', { hasKey: false, cause: error });
  }
}
