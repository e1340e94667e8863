import { readFileSync, writeFileSync } from 'node:fs';
import { settingInfo, settings } from '../settings/settings.ts';

const page = new URL('../../docs/configuration.md', import.meta.url);
const begin = '<!-- settings:begin -->';
const end = '<!-- settings:end -->';

/** The table of all settings in `docs/configuration.md`, as Markdown. */
export function settingsTable(): string {
  const defaults: Record<string, unknown> = settings.partial().parse({});
  const rows = Object.entries(settingInfo).map(([name, { form, secret, description, otherwise = 'required' }]) => {
    const value = name in defaults ? `\`${String(defaults[name])}\`` : otherwise;
    return `| \`${name}\` | ${form}${secret ? '; secret' : ''} | ${value} | ${description} |`;
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
