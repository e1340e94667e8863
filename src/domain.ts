import type { PaymentFollower } from './domains/payments/public.ts';
import type { Job } from './jobs/jobs.ts';
import type { Keep } from './jobs/retention.ts';
import type { Services } from './services.ts';

/** The definition of a domain in its `domain.ts`. Importing that file also adds the domain's types to the graph. */
export interface Domain {
  /** The name of the folder of the domain, and of its group of REST documents. */
  name: string;
  /** The group in the API reference. Absent if the domain has no public endpoint. */
  reference?: ReferenceGroup;
  /** The groups of its folders that have REST documents of their own, by the name of the document. */
  rooms?: Readonly<Record<string, ReferenceGroup>>;
  /** The prefixes of identifiers, by object. Every prefix belongs to one domain. */
  idPrefixes?: Readonly<Record<string, `${string}_`>>;
  /** The event types that the domain writes. */
  eventTypes?: readonly `${string}/${string}`[];
  /** How long rows are kept. The job `purge-old-rows` purges older ones. */
  keeps?: readonly Keep[];
  /** The background jobs. They run in every process. */
  jobs?(services: Services): Job[];
  /** Work that becomes due on a test clock. If several domains have work due at the same time, they run in order. */
  clockDriven?: ClockDriven;
  /** What changes with payments. */
  followsPayments?: PaymentFollower;
}

interface ReferenceGroup {
  title: string;
  description: string;
}

/**
 * A job for rows that belong to a test clock. The ordinary job skips such rows (`"testClockId" IS NULL`); they are
 * processed when the clock is advanced past the time at which they are due, and at that time.
 */
export interface ClockDriven {
  name: string;
  /** The earliest time at which a row of this clock is due, in the past or the future. Null if there is none. */
  nextDue(services: Services, testClockId: string): Promise<Date | null>;
  /**
   * Processes the rows that are due by then and returns their number. It runs on the test clock: `services.clock.now()`
   * is `at`. It may be interrupted at any point and run again, and must not process a row twice. 0 while rows are still
   * due means that another process has leased them.
   */
  runDue(services: Services, testClockId: string, at: Date): Promise<number>;
}
