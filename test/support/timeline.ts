import type { manualClock } from '../../src/lib/clock.ts';

interface Waiting {
  at: number;
  resume: () => void;
}

/** Stories that are played at the same time on one clock, which moves only while all of them wait for a later time. */
export interface Timeline {
  /** Resolves once the clock is at this time, or at once if that has passed. */
  until(at: Date): Promise<void>;
  /** Plays the stories to their ends. Fails after the last end if one has failed. */
  play<Result>(stories: readonly (() => Promise<Result>)[]): Promise<Result[]>;
}

/** `moved` runs after each move of the clock, before a story goes on. */
export function timelineOf(clock: ReturnType<typeof manualClock>, moved: () => Promise<unknown>): Timeline {
  let busy = 0;
  let waiting: Waiting[] = [];

  async function rest(): Promise<void> {
    busy--;
    if (busy > 0 || waiting.length === 0) return;
    const next = Math.max(clock.now().getTime(), Math.min(...waiting.map(({ at }) => at)));
    if (next > clock.now().getTime()) {
      clock.set(new Date(next));
      await moved();
    }
    const due = waiting.filter(({ at }) => at <= next);
    waiting = waiting.filter(({ at }) => at > next);
    busy = due.length;
    for (const { resume } of due) resume();
  }

  return {
    until: (at) =>
      new Promise((resume, fail) => {
        waiting.push({ at: at.getTime(), resume });
        rest().catch(fail);
      }),
    async play(stories) {
      busy = stories.length;
      const ends = await Promise.allSettled(
        stories.map(async (story) => {
          try {
            return await story();
          } finally {
            await rest();
          }
        }),
      );
      return ends.map((end) => {
        if (end.status === 'rejected') throw end.reason;
        return end.value;
      });
    },
  };
}
