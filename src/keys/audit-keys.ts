import { createHmac, hkdfSync } from 'node:crypto';
import { parseKeyRing } from './key-ring.ts';

/** The keys of the audit log. The database contains none of them. */
export interface AuditKeys {
  /**
   * The key of a new row, in the form that the trigger that hashes the row expects: the two padded blocks of
   * HMAC-SHA256.
   */
  blocksOf(rowId: string): { keyId: string; hash: string };
  /** The hash that a row with this text must have; null for a key that is not in the ring. */
  hashOf(row: { id: string; keyId: string; text: string }): string | null;
  /** The code of an anchor: a head of the log that is stored outside of the database. */
  anchorCode(keyId: string, anchor: string): string | null;
  newestId: string;
}

const blockLength = 64;

/** Opens a key ring: the first key hashes new rows, every key verifies. */
export function openAuditKeys(ring: string): AuditKeys {
  const { keys, newestId } = parseKeyRing(ring);

  /** Each purpose has its own derived key, so that the key of one is useless for another. */
  function derived(keyId: string, purpose: string): Buffer | null {
    const key = keys.get(keyId);
    return key ? Buffer.from(hkdfSync('sha256', key, '', purpose, 32)) : null;
  }
  const rowKey = (keyId: string, rowId: string) => derived(keyId, `audit row ${rowId}`);

  return {
    newestId,
    blocksOf(rowId) {
      const key = rowKey(newestId, rowId) ?? Buffer.alloc(0); // the ring contains its newest key
      return { keyId: newestId, hash: padded(key, 0x36) + padded(key, 0x5c) };
    },
    hashOf({ id, keyId, text }) {
      const key = rowKey(keyId, id);
      return key && createHmac('sha256', key).update(text).digest('hex');
    },
    anchorCode(keyId, anchor) {
      const key = derived(keyId, 'audit anchor');
      return key && createHmac('sha256', key).update(anchor).digest('hex');
    },
  };
}

function padded(key: Buffer, pad: number): string {
  const block = Buffer.alloc(blockLength, pad);
  for (const [index, byte] of key.entries()) block[index] = pad ^ byte;
  return block.toString('hex');
}
