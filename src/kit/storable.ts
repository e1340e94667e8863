/** Whether a text can be stored: PostgreSQL has none with the character 0. */
export function storable(text: string): boolean {
  return !text.includes('\0');
}
