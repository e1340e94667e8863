import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What a call to the stand-in is answered with instead of a result. */
type KmsFault = 'hang' | { status: number; type: string; times?: number };

interface KmsCall {
  target: string;
  keyId: string;
  setting: string | undefined;
}

export interface KmsStandIn {
  url: string;
  /** Makes a key and returns its ARN. */
  createKey(): string;
  calls: KmsCall[];
  /** Null ends it. */
  fail(fault: KmsFault | null): void;
  disable(keyId: string): void;
  close(): Promise<void>;
}

interface KmsRequest {
  KeyId: string;
  Plaintext?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
}

class KmsError extends Error {
  readonly type: string;

  constructor(type: string) {
    super(type);
    this.type = type;
  }
}

/**
 * Speaks the wire of AWS KMS, JSON 1.1 with `X-Amz-Target`, for symmetric keys of one region. It demands a signature of
 * version 4 for its region and service, and does not compute it.
 */
export async function startKmsStandIn({ region = 'eu-west-1', accessKeyId = 'AK-TEST' } = {}): Promise<KmsStandIn> {
  const keys = new Map<string, { bytes: Buffer; isEnabled: boolean }>();
  const calls: KmsCall[] = [];
  let fault: KmsFault | null = null;

  const server = createServer((request, response) => {
    void answer(request)
      .catch((error: unknown) => ({
        status: 400,
        body: { __type: error instanceof KmsError ? error.type : 'KMSInternalException' },
      }))
      .then((result) => result && write(response, result));
  });

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object } | null> {
    const body = (await json(request)) as KmsRequest; // what the client of AWS sends
    const target = String(request.headers['x-amz-target']);
    calls.push({ target, keyId: body.KeyId, setting: body.EncryptionContext?.['setting'] });
    const signed = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/`;
    const { authorization = '', 'content-type': type } = request.headers;
    if (!authorization.startsWith(signed)) throw new KmsError('UnrecognizedClientException');
    if (!/, SignedHeaders=[\w;-]*x-amz-target[\w;-]*, Signature=[0-9a-f]{64}$/.test(authorization))
      throw new KmsError('IncompleteSignatureException');
    if (!authorization.includes(`/${region}/kms/aws4_request`)) throw new KmsError('InvalidSignatureException');
    if (type !== 'application/x-amz-json-1.1') throw new KmsError('SerializationException');
    if (fault === 'hang') return null;
    if (fault !== null && (fault.times === undefined || fault.times > 0)) {
      if (fault.times !== undefined) fault.times -= 1;
      return { status: fault.status, body: { __type: fault.type, message: 'User: arn:aws:iam::1:user/x' } };
    }
    const key = keys.get(body.KeyId);
    if (!key) throw new KmsError('NotFoundException');
    if (!key.isEnabled) throw new KmsError('DisabledException');
    if (target === 'TrentService.Encrypt') return { status: 200, body: encrypted(body, key.bytes) };
    if (target === 'TrentService.Decrypt') return { status: 200, body: decrypted(body, key.bytes) };
    throw new KmsError('UnknownOperationException');
  }

  function encrypted({ KeyId, Plaintext = '', EncryptionContext = {} }: KmsRequest, key: Buffer): object {
    const plain = Buffer.from(Plaintext, 'base64');
    if (plain.length > 4096) throw new KmsError('ValidationException');
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(JSON.stringify(EncryptionContext)));
    const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    const blob = Buffer.concat([Buffer.from(`${KeyId}\n`), sealed]);
    return { CiphertextBlob: blob.toString('base64'), KeyId, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  }

  function decrypted({ KeyId, CiphertextBlob = '', EncryptionContext = {} }: KmsRequest, key: Buffer): object {
    const blob = Buffer.from(CiphertextBlob, 'base64');
    const end = blob.indexOf('\n');
    if (end < 0) throw new KmsError('InvalidCiphertextException');
    if (blob.subarray(0, end).toString() !== KeyId) throw new KmsError('IncorrectKeyException');
    const sealed = blob.subarray(end + 1);
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
      .setAAD(Buffer.from(JSON.stringify(EncryptionContext)))
      .setAuthTag(sealed.subarray(-16));
    try {
      const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
      return { Plaintext: plain.toString('base64'), KeyId, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    } catch {
      throw new KmsError('InvalidCiphertextException');
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    createKey() {
      const keyId = `arn:aws:kms:${region}:111122223333:key/${crypto.randomUUID()}`;
      keys.set(keyId, { bytes: randomBytes(32), isEnabled: true });
      return keyId;
    },
    fail: (next) => (fault = next),
    disable(keyId) {
      const key = keys.get(keyId);
      if (key) key.isEnabled = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function write(response: ServerResponse, { status, body }: { status: number; body: object }): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}
