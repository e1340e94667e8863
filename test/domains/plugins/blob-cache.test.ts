import { expect, test } from 'vitest';
import { blobCache } from '../../../src/domains/plugins/serving/pages.ts';

test('bytes are cached up to the bound, and the least recently used are evicted', () => {
  const blobs = blobCache(80);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) blobs.keep(name, Buffer.alloc(10));
  expect(blobs.get('a')).toHaveLength(10);
  blobs.keep('i', Buffer.alloc(1));
  expect(['a', 'b', 'c', 'i'].map((name) => blobs.get(name)?.length)).toEqual([10, undefined, 10, 1]);
});

test('an entry over an eighth of the bound is not cached, and the same bytes count once', () => {
  const blobs = blobCache(80);
  blobs.keep('large', Buffer.alloc(11));
  for (let time = 0; time < 20; time++) blobs.keep('a', Buffer.alloc(10));
  blobs.keep('b', Buffer.alloc(10));
  expect(['large', 'a', 'b'].map((name) => blobs.get(name)?.length)).toEqual([undefined, 10, 10]);
});
