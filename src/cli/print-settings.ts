import { readFileSync, writeFileSync } from 'node:fs';
import { settingInfo } from '../settings/setting-kinds.ts';
import { settings } from '../settings/settings.ts';

const page = new URL('../../docs/configuration.md', import.meta.url);
const begin = '<!-- settings:begin -->';
const end = '<!-- settings:end -->';

/** The table of all settings in `docs/configuration.md`, as Markdown. */
export function settingsTable(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const info = settingInfo.get(schema);
    if (!info) throw new Error(`The setting ${name} has no description.`);
    const type = info.isSecret ? `${info.type}; secret` : info.type;
    return `| \`${name}\` | ${type} | ${info.default} | ${info.description} |`;
  });
  return ['| Variable | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** Replaces the content between the markers of the page by the table. */
export function withSettingsTable(text: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/configuration.md must contain ${begin} and, after it, ${end}.`);
  return `${text.slice(0, from)}${begin}\n\n${settingsTable()}\n\n${text.slice(to)}`;
}

if (import.meta.main) writeFileSync(page, withSettingsTable(readFileSync(page, 'utf8')));
