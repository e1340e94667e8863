import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { loadConfig } from './kit/config.ts';
import { eventTypes } from './kit/event-types.ts';

// npm run webhook:listen: a receiver to watch events with. Without a secret it adds an endpoint to the running demo platform and
// takes it away again at its end. With one (--secret, as POST /webhooks or rotate-secret showed it) it listens for that endpoint.
const { values } = parseArgs({ options: { port: { type: 'string', default: '4400' }, secret: { type: 'string' }, ordered: { type: 'boolean', default: false } } });
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
let secret = '';
server.listen(port, '127.0.0.1', () => void begin());

async function begin(): Promise<void> {
  secret = values.secret ?? (await registered());
  say(`Listening at ${url}. Stop with Ctrl-C.`);
}

/** One line an event: when, its type, whose, and whether the signature holds. */
function told(body: string, headers: Record<string, string>): string {
  let holds = 'signature holds';
  try {
    new Webhook(secret).verify(body, headers);
  } catch (error) {
    holds = `SIGNATURE DOES NOT HOLD: ${error instanceof Error ? error.message : String(error)}`;
  }
  try {
    const { id, type, createdAt, sequence, data } = JSON.parse(body) as { id: string; type: string; createdAt: string; sequence: number; data: { object: { id?: string } } }; // shown as it comes; a wrong shape shows as undefined
    return `${createdAt}  ${type.padEnd(30)} ${data.object.id ?? ''} #${sequence}  ${id}  ${holds}`;
  } catch {
    return `Not an event: ${body.slice(0, 200)}  ${holds}`;
  }
}

/** Adds an endpoint for everything to the demo's test account, and arranges for it to go with this program. */
async function registered(): Promise<string> {
  const demo = JSON.parse(readFileSync(join(loadConfig().platformDir, 'demo.json'), 'utf8')) as { baseUrl: string; accounts: { test: { subKey: string } } }; // written by the platform
  const call = (path: string, method: string, body?: object) =>
    fetch(`${demo.baseUrl}/api/public/v1${path}`, { method, headers: { Authorization: `Bearer ${demo.accounts.test.subKey}`, ...(body && { 'Content-Type': 'application/json' }) }, ...(body && { body: JSON.stringify(body) }) });
  const answer = await call('/webhooks', 'POST', { url, eventTypes, ordered: values.ordered, description: 'npm run webhook:listen' });
  const endpoint = (await answer.json()) as { id: string; secret: string; message?: string };
  if (answer.status !== 200) {
    say(`The platform refused the endpoint: ${endpoint.message}\nA receiver on this machine needs a platform started with WEBHOOK_ALLOW_PRIVATE=true npm start.`);
    process.exit(1);
  }
  const leave = () => void call(`/webhooks/${endpoint.id}`, 'DELETE').finally(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave);
  say(`Endpoint ${endpoint.id} gets every event of the demo's test account. Its secret: ${endpoint.secret}`);
  return endpoint.secret;
}
