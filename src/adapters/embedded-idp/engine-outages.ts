import { AsyncLocalStorage } from 'node:async_hooks';
import { isOutage } from '../../kit/outage.ts';

/*
 * The engine answers an error of the database with an error of its own, which does not say what it was, and hands the
 * first one to its logger.
 */

const calls = new AsyncLocalStorage<{ outage: unknown }>();

/** For the logger of the engine: notes an outage among what it logs, for the call in which it happened. */
export function noteOutage(logged: readonly unknown[]): void {
  const call = calls.getStore();
  const outage = logged.find(isOutage);
  if (call && outage !== undefined) call.outage = outage;
}

/** The functions of the engine, which throw an outage as it was. */
export function throwingOutages<Api extends object>(api: Api): Api {
  return new Proxy(api, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => run(async () => (await Reflect.apply(value, target, given)) as unknown);
    },
  });
}

function run(call: () => Promise<unknown>): Promise<unknown> {
  const noted: { outage: unknown } = { outage: undefined };
  return calls.run(noted, async () => {
    try {
      const answer = await call();
      if (answer instanceof Response && answer.status >= 500 && noted.outage !== undefined) throw noted.outage;
      return answer;
    } catch (error) {
      throw noted.outage ?? error;
    }
  });
}
