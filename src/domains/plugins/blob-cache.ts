/** Content by its hash. A hash never changes its content, so only access to a file is checked on every request. */
export interface BlobCache {
  get(sha256: string): Buffer | undefined;
  keep(sha256: string, content: Buffer): void;
}

/** A least-recently-used cache of at most `bytesMax` in this process. Content above an eighth of that is not cached. */
export function blobCache(bytesMax = 32 * 1024 * 1024): BlobCache {
  const blobs = new Map<string, Buffer>();
  let bytes = 0;
  return {
    get(sha256) {
      const content = blobs.get(sha256);
      if (content) {
        blobs.delete(sha256);
        blobs.set(sha256, content);
      }
      return content;
    },
    keep(sha256, content) {
      if (content.length > bytesMax / 8 || blobs.has(sha256)) return;
      blobs.set(sha256, content);
      bytes += content.length;
      for (const [oldest, { length }] of blobs) {
        if (bytes <= bytesMax) return;
        blobs.delete(oldest);
        bytes -= length;
      }
    },
  };
}
