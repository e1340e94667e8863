/** Escapes a string for the content or a quoted attribute of HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Whether a text can be stored: PostgreSQL rejects the character 0. */
export function storable(text: string): boolean {
  return !text.includes('\0');
}
