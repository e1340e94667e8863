// cspell:ignore cellspacing Segoe
import { escapeHtml } from '../lib/text.ts';
import type { Mail } from '../ports/mailer.ts';
import { type Brand, headOf, platformName } from './brand.ts';
import { colors } from './tokens.ts';
import type { Words } from './words.ts';

/** The content of one mail. Every text is plain; it is escaped here. */
export interface Letter {
  to: string;
  subject: string;
  /** The subject of the mail, in one sentence. */
  lead: string;
  action: { label: string; url: string };
  notes: readonly string[];
  /** The partner in whose name it is sent; null for the platform. */
  brand: Brand | null;
  footer?: string | undefined;
}

/** A mail with the same content as text and as HTML, in the design of the pages, for light and dark screens. */
export function mailOf(words: Words, publicUrl: string, letter: Letter): Mail {
  const { to, subject, lead, action, notes, footer } = letter;
  const text = [lead, '', action.url, '', ...notes, ...(footer === undefined ? [] : ['', footer]), ''].join('\n');
  return { to, subject, text, html: htmlOf(words, publicUrl, letter) };
}

/** Mail clients drop scripts, variables and most styles, so each element has the light colors. */
function htmlOf(words: Words, publicUrl: string, { subject, lead, action, notes, brand, footer }: Letter): string {
  const { light, dark } = colors;
  const accent = brand?.palette?.accent ?? light('accent');
  const onAccent = brand?.palette?.onAccent ?? light('on-accent');
  const link = { light: brand?.palette?.link.light ?? light('link'), dark: brand?.palette?.link.dark ?? dark('link') };
  const small = 'font-size:14px;line-height:1.5';
  const url = escapeHtml(action.url);
  const table = 'role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"';
  const soft = notes.map((note) => paragraph(note, 'soft', `${small};color:${light('soft')}`)).join('\n');
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
.ground { background: ${dark('ground')} !important; }
.sheet { background: ${dark('surface')} !important; border-color: ${dark('line')} !important; }
.ink { color: ${dark('ink')} !important; }
.soft { color: ${dark('soft')} !important; }
.link { color: ${link.dark} !important; }
.button { border-color: ${link.dark} !important; }
.logo { background: #ffffff !important; padding: 4px !important; }
}
</style>
</head>
<body class="ground" style="margin:0;background:${light('ground')};-webkit-text-size-adjust:100%">
<div role="main">
<table ${table} class="ground" style="background:${light('ground')}"><tr><td align="center" style="padding:24px 12px">
<table ${table} style="max-width:480px;text-align:left;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<tr><td class="ink" style="padding:0 4px 16px;color:${light('ink')};font-size:16px;font-weight:650">
${headingOf(brand, publicUrl, { accent, onAccent })}
</td></tr>
<tr><td class="sheet" style="padding:28px 24px;background:${light('surface')};border:1px solid ${light('line')};border-radius:14px">
<h1 class="ink" style="margin:0 0 12px;font-size:22px;line-height:1.25;color:${light('ink')}">${escapeHtml(subject)}</h1>
${paragraph(lead, 'ink', `font-size:16px;line-height:1.5;color:${light('ink')}`)}
<p style="margin:20px 0"><a class="button" href="${url}" style="display:inline-block;padding:11px 20px;border:1px solid ${link.light};border-radius:8px;background:${accent};color:${onAccent};font-size:16px;font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p>
${soft}
${paragraph(words.text('mail.link'), 'soft', `${small};color:${light('soft')};margin-top:16px`)}
<p style="margin:0;${small};word-break:break-all"><a class="link" href="${url}" style="color:${link.light}">${url}</a></p>
</td></tr>
<tr><td class="soft" style="padding:16px 4px 0;${small};color:${light('soft')}">${escapeHtml(footer ?? platformName)}</td></tr>
</table>
</td></tr></table>
</div>
</body>
</html>
`;
}

function paragraph(text: string, kind: 'ink' | 'soft', style: string): string {
  return `<p class="${kind}" style="margin:0 0 8px;${style}">${escapeHtml(text)}</p>`;
}

/** Mail clients load images by their absolute URL, or show the text in their place. */
function headingOf(brand: Brand | null, publicUrl: string, { accent, onAccent }: Record<string, string>): string {
  const { logo, initial, name } = headOf(brand ?? { name: platformName, palette: undefined, logo: undefined });
  const alternative = name === null ? escapeHtml(brand?.name ?? platformName) : '';
  const height = logo && Math.max(1, Math.round(Math.min(36, (160 * logo.height) / logo.width)));
  const image =
    logo && height
      ? `<img class="logo" src="${escapeHtml(`${publicUrl}/${logo.path}`)}" alt="${alternative}" height="${height}" ` +
        `width="${Math.max(1, Math.round((height * logo.width) / logo.height))}" ` +
        'style="border:0;border-radius:4px;vertical-align:middle">'
      : `<span style="display:inline-block;width:32px;height:32px;border-radius:8px;background:${accent};` +
        `color:${onAccent};line-height:32px;text-align:center;text-transform:uppercase">${escapeHtml(initial)}</span>`;
  return `${image}${name === null ? '' : `<span style="padding-left:10px">${escapeHtml(name)}</span>`}`;
}
