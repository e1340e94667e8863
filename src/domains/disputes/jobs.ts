import type { Services } from '../../services.ts';
import { notifyPlatformOfAll, testDisputesOf } from './test-disputes.ts';

/**
 * Notifies the platform of disputes of the test processor it was not notified of: those of test cards that dispute
 * every charge, and those left by a crash.
 */
export async function deliverTestDisputes(services: Services, stopping?: AbortSignal): Promise<number> {
  const notices = (await testDisputesOf(services)?.listUnnotified()) ?? [];
  await notifyPlatformOfAll(services, notices, stopping);
  return notices.length;
}
