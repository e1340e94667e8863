// guards: rest/openapi.json rest/openapi-iam.json
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, test } from 'vitest';
import { printedOpenApi } from '../../rest/print-openapi.ts';

describe.each(['openapi.json', 'openapi-iam.json'] as const)('the document %s', (file) => {
  const text = printedOpenApi(file);

  test('has no finding of the recommended rules of Redocly', async () => {
    // A literal path is chosen before one with a parameter (contract 4), so that no path is ambiguous.
    const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
    const found = await lintFromString({ source: text, config, absoluteRef: file });
    expect(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
  });

  test('has no finding of the rules spectral:oas', async () => {
    const judge = new spectral.Spectral();
    judge.setRuleset(new spectral.Ruleset(oas));
    const found = await judge.run(JSON.parse(text));
    expect(found.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`)).toEqual([]);
  }, 300_000);
});
