import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { loadConfig } from './kit/config.ts';
import { eventTypes } from './kit/event-types.ts';

// npm run webhook:listen: a receiver to watch events with. Without a secret it adds an endpoint to the running demo platform, which
// it rotates the secret of when asked, and takes it away again at its end. With one (--secret, as POST /webhooks or rotate-secret
// showed it) it listens for that endpoint.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4400' },
    secret: { type: 'string' },
    ordered: { type: 'boolean', default: false },
  },
});
const port = Number(values.port);
const url = `http://127.0.0.1:${port}/`;
const say = (line: string) => void process.stdout.write(`${line}\n`);

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    say(told(body, request.headers as Record<string, string>)); // the three headers that matter occur once
    response.writeHead(204).end();
  });
});
/** The newest first: for a day after a rotation the one before it signs, too. */
let secrets: string[] = [];
server.on('error', (error: NodeJS.ErrnoException) => {
  say(
    error.code === 'EADDRINUSE'
      ? `Something listens at port ${port} already: stop it, or choose another with --port.`
      : error.message,
  );
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => void begin());

async function begin(): Promise<void> {
  secrets = [values.secret ?? (await registered())];
  say(
    `Listening at ${url}. ${values.secret === undefined ? 'Type r and Enter to rotate the secret. ' : ''}Stop with Ctrl-C.`,
  );
}

/** One line an event: when, its type, whose, and whether the signature holds. */
function told(body: string, headers: Record<string, string>): string {
  const holds = judged(body, headers);
  try {
    const { id, type, createdAt, sequence, data } = JSON.parse(body) as {
      id: string;
      type: string;
      createdAt: string;
      sequence: number;
      data: { object: { id?: string } };
    }; // shown as it comes; a wrong shape shows as undefined
    return `${createdAt}  ${type.padEnd(30)} ${data.object.id ?? ''} #${sequence}  ${id}  ${holds}`;
  } catch {
    return `Not an event: ${body.slice(0, 200)}  ${holds}`;
  }
}

function judged(body: string, headers: Record<string, string>): string {
  const errors = secrets.map((secret) => errorOf(secret, body, headers));
  const [newest, ...before] = errors;
  if (newest === null)
    return before.length === 0
      ? 'signature holds'
      : `signature holds, of the new secret${before.includes(null) ? ' and of one before it' : ''}`;
  return before.includes(null)
    ? 'signature holds, of a secret before the rotation'
    : `SIGNATURE DOES NOT HOLD: ${newest ?? ''}`;
}

function errorOf(secret: string, body: string, headers: Record<string, string>): string | null {
  try {
    new Webhook(secret).verify(body, headers);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Adds an endpoint for everything that happens in test mode to the demo's partner, and arranges for it to go with this program. */
async function registered(): Promise<string> {
  const demo = JSON.parse(readFileSync(join(loadConfig().platformDir, 'demo.json'), 'utf8')) as {
    baseUrl: string;
    partnerKeys: { test: string };
  }; // written by the platform
  const call = (path: string, method: string, body?: object) =>
    fetch(`${demo.baseUrl}/api/public/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${demo.partnerKeys.test}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const answer = await call('/webhooks', 'POST', {
    url,
    eventTypes,
    ordered: values.ordered,
    description: 'npm run webhook:listen',
  });
  const endpoint = (await answer.json()) as { id: string; secret: string; message?: string };
  if (answer.status !== 200) {
    say(
      `The platform refused the endpoint: ${endpoint.message}\nA receiver on this machine needs a platform started with WEBHOOK_ALLOW_PRIVATE=true npm start.`,
    );
    process.exit(1);
  }
  const leave = () => void call(`/webhooks/${endpoint.id}`, 'DELETE').finally(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave);
  createInterface({ input: process.stdin }).on('line', (line) => {
    if (line.trim() === 'r') void rotated(call, endpoint.id);
  });
  say(`Endpoint ${endpoint.id} gets every event of the demo partner's test accounts. Its secret: ${endpoint.secret}`);
  return endpoint.secret;
}

async function rotated(call: (path: string, method: string) => Promise<Response>, endpointId: string): Promise<void> {
  const answer = await call(`/webhooks/${endpointId}/rotate-secret`, 'POST');
  const { secret, rotationEndsAt, message } = (await answer.json()) as {
    secret: string;
    rotationEndsAt: string;
    message?: string;
  }; // the answer's shape, or an error's
  if (answer.status !== 200) return say(`The secret was not rotated: ${message}`);
  secrets = [secret, ...secrets];
  say(`The new secret: ${secret}. The one before it signs, too, until ${rotationEndsAt}.`);
}
