/** Content by its key. The key changes with the content, so only access to it is checked on every request. */
export interface BlobCache<Content extends { length: number } = Buffer> {
  get(key: string): Content | undefined;
  keep(key: string, content: Content): void;
}

/** A least-recently-used cache of at most `bytesMax` in this process. Content above an eighth of that is not cached. */
export function blobCache<Content extends { length: number } = Buffer>(
  bytesMax = 32 * 1024 * 1024,
): BlobCache<Content> {
  const blobs = new Map<string, Content>();
  let bytes = 0;
  return {
    get(key) {
      const content = blobs.get(key);
      if (content) {
        blobs.delete(key);
        blobs.set(key, content);
      }
      return content;
    },
    keep(key, content) {
      if (content.length > bytesMax / 8 || blobs.has(key)) return;
      blobs.set(key, content);
      bytes += content.length;
      for (const [oldest, { length }] of blobs) {
        if (bytes <= bytesMax) return;
        blobs.delete(oldest);
        bytes -= length;
      }
    },
  };
}
