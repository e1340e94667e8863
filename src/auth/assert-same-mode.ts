import { Forbidden } from '../kit/errors.ts';
import type { Mode } from '../kit/mode.ts';
import type { ApiKeyCaller } from './caller.ts';

/** Refuses a `mode` in a request that is not the mode of the key. */
export function assertSameMode(caller: ApiKeyCaller, named: Mode | null | undefined): void {
  if (named == null || named === caller.mode) return;
  throw new Forbidden('mode_escalation_forbidden', `A ${caller.mode} key makes nothing in ${named} mode.`);
}
