import { Agent, request } from 'node:http';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 128 });

/** The bytes as they are sent: `fetch` decodes them, and adds headers of its own. */
export function rawAnswer(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: object } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const type = body && { 'Content-Type': 'application/json' };
    const call = request(url, { method, agent, headers: { ...headers, ...type } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    call.on('error', reject);
    call.end(body && JSON.stringify(body));
  });
}
