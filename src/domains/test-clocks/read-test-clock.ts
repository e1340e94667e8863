import type { TestClock } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { findTestClock } from './clock-rows.ts';

export function readTestClock(context: KeyContext, testClockId: string): Promise<TestClock> {
  return findTestClock(context, context.services.prisma, testClockId);
}
