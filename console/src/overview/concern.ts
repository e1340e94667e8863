/** Something that may need work, and the page with its rows. */
export interface Concern {
  name: string;
  path: string;
  search?: Record<string, string>;
  /** What a tile shows; null if all is clear. */
  text: string | null;
  /** Whether the tile stands out. */
  isWaiting: boolean;
  note?: string;
}
