import { Failure } from '../graph/failure.ts';

interface Download {
  signal: AbortSignal;
  /** Called with the number of lines that have come. */
  onLines(lines: number): void;
}

/** Reads a file that is made while it is sent. Throws a `Failure` if it is refused or broken off. */
export async function download(url: string, { signal, onLines }: Download): Promise<{ name: string; content: Blob }> {
  const { pathname } = new URL(url);
  const response = await fetch(pathname, { signal }).catch(unreachable);
  const requestId = response.headers.get('Request-Id');
  if (!response.ok || !response.body) {
    const { code = 'INTERNAL_SERVER_ERROR', message = `The server responded with ${response.status}.` } =
      (await response.json().catch(() => ({}))) as { code?: string; message?: string };
    throw new Failure(message, { code, requestId });
  }
  const [, name = 'export.csv'] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let lines = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(brokenOff);
    if (done) break;
    parts.push(value);
    for (const byte of value) if (byte === 10) lines += 1;
    onLines(lines);
  }
  return { name, content: new Blob(parts, { type: 'text/csv' }) };

  function brokenOff(error: unknown): never {
    if (signal.aborted) throw error;
    throw new Failure('The download was interrupted. No file was saved. Try again.', { code: 'NETWORK', requestId });
  }

  function unreachable(error: unknown): never {
    if (signal.aborted) throw error;
    throw new Failure('The server did not respond. Check your connection, then try again.', { code: 'NETWORK' });
  }
}

/** Gives a file to the browser, which keeps it where it keeps downloads. */
export function save({ name, content }: { name: string; content: Blob }): void {
  const href = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
