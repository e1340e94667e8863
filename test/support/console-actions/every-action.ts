import type { SignedIn } from '../../iam/people.ts';
import type { ConsoleWorld } from '../console.ts';
import type { ActionCase } from './action-case.ts';
import { ofAccounts, ofBlockRules, ofKyb, ofTestMode } from './merchants.ts';
import { ofPayments, ofRefundRequests, ofSubscriptions } from './money.ts';
import { ofPartners } from './partners.ts';
import { ofPeople, ofSessions, ofViews } from './people.ts';
import { ofDelivery, ofEndpoints, ofKeyRequests, ofKeys } from './webhooks.ts';

/** A case of each action, on an object of its own. `person` acts in the console, `other` at the same time elsewhere. */
export async function everyAction(world: ConsoleWorld, person: SignedIn): Promise<ActionCase[]> {
  const other = await world.staff('superadmin');
  const cases = await Promise.all([
    ofPayments(world),
    ofSubscriptions(world),
    ofAccounts(world, other),
    ofKyb(world, other),
    ofBlockRules(world),
    ofPeople(world, other),
    ofSessions(world, person),
    ofViews(person),
    ofPartners(world, other),
    ofTestMode(world, other),
    ofDelivery(world),
    ofKeys(world),
    ofKeyRequests(world, person, other),
    ofEndpoints(world, other),
    ofRefundRequests(world, person, other),
  ]);
  return cases.flat();
}
