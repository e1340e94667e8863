/** Bytes by their hash, which are the same for ever: whoever may see a file is asked of the database each time, what is in it is not. */
export interface BlobCache {
  get(sha256: string): Buffer | undefined;
  keep(sha256: string, content: Buffer): void;
}

/** Keeps up to `bytesMax` of them in this process, and none that takes up more than an eighth of that; the one that was used the longest ago goes. */
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
