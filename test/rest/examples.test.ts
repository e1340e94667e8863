import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { runExampleStory, shownEndpoints, storyBegins } from '../support/example-story.ts';
import { iamEndpoints } from '../support/operations.ts';
import { runPeopleStory } from '../support/people-story.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const clock = manualClock(storyBegins);

const platform = await usePlatform({ clock, env: { PUBLIC_URL: 'https://pay.example.com' } });

// `npx vitest run --config test/vitest.config.ts test/rest/examples.test.ts -u` writes the file again.
test('200 for every example of the API reference, with the answer that rest/examples.json shows', async () => {
  // The people first: they would see the partner of the other story.
  const ofPeople = await runPeopleStory(platform, clock);
  clock.set(storyBegins);
  const { api } = await seedPartner(platform);
  const shown = { ...ofPeople, ...(await runExampleStory({ url: platform.url, api, clock })) };
  expect(
    [...shownEndpoints.keys(), ...iamEndpoints.map(({ name }) => name)].filter((name) => !Object.hasOwn(shown, name)),
    'endpoints without an example',
  ).toEqual([]);
  const sorted = Object.fromEntries(Object.entries(shown).sort(([left], [right]) => (left < right ? -1 : 1)));
  await expect(`${JSON.stringify(sorted, null, 1)}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, '..', '..', 'rest', 'examples.json'),
  );
});
