import { createServer, type Server } from 'node:http';
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';
import { writeSentence } from '../../observability/sentences.ts';
import { openConfig } from '../../operating/open-config.ts';
import { eventTypes } from '../../registry.ts';
import { describeFailure } from '../../runtime/failures.ts';
import { ConfigError } from '../../settings/config.ts';
import { readDemo } from '../../settings/demo-credentials.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);
/** The newest first. For a day after a rotation, deliveries are also signed with the previous secret. */
let secrets: string[] = [];

interface Options {
  port: number;
  secret?: string;
  ordered: boolean;
}

export async function run({ port, secret, ordered }: Options): Promise<void> {
  const url = `http://127.0.0.1:${port}/`;
  const server = await listen(port);
  try {
    secrets = [secret ?? (await registerEndpoint(url, ordered))];
  } catch (error) {
    server.close();
    throw error;
  }
  print(
    `Listening at ${url}. ${secret === undefined ? 'Type r and Enter to rotate the secret. ' : ''}Stop with Ctrl-C.`,
  );
}

function listen(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      // the three headers that are read occur only once
      print(describeDelivery(body, request.headers as Record<string, string>));
      response.writeHead(204).end();
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new ConfigError(
              `Port ${port} is in use: stop the program that uses it, or choose another port with --port.`,
            )
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** One line per event: its time, type and object, and whether its signature is valid. */
function describeDelivery(body: string, headers: Record<string, string>): string {
  const signature = verifySignature(body, headers);
  try {
    const { id, type, createdAt, sequence, data } = JSON.parse(body) as {
      id: string;
      type: string;
      createdAt: string;
      sequence: number;
      data: { object: { id?: string; platformAccountId?: string } };
    }; // printed as received; a missing field is printed as undefined
    const objectId = data.object.id ?? data.object.platformAccountId ?? ''; // the KYB of an account has no id
    return `${createdAt}  ${type.padEnd(30)} ${objectId} #${sequence}  ${id}  ${signature}`;
  } catch {
    return `Not an event: ${body.slice(0, 200)}  ${signature}`;
  }
}

function verifySignature(body: string, headers: Record<string, string>): string {
  const errors = secrets.map((secret) => errorOf(secret, body, headers));
  const [newest, ...before] = errors;
  if (newest === null)
    return before.length === 0
      ? 'signature is valid'
      : `signature is valid for the new secret${before.includes(null) ? ' and for a previous one' : ''}`;
  return before.includes(null) ? 'signature is valid for a previous secret' : `SIGNATURE IS NOT VALID: ${newest ?? ''}`;
}

function errorOf(secret: string, body: string, headers: Record<string, string>): string | null {
  try {
    new Webhook(secret).verify(body, headers);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Creates an endpoint of the demo partner for every event of test mode. It is deleted when this program ends. */
async function registerEndpoint(url: string, ordered: boolean): Promise<string> {
  const config = await openConfig(process.env, { isCommand: true });
  const demo = readDemo(config);
  if (!demo)
    throw new ConfigError(
      `There is no demo platform in PLATFORM_DIR, ${config.platformDir}: start one with \`npm start\`, or receive ` +
        `for an ` +
        'endpoint of another platform with --secret.',
    );
  const call = async (path: string, method: string, body?: object) => {
    try {
      return await fetch(`${demo.baseUrl}/api/public/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${demo.partnerKeys.test}`,
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new ConfigError(`The platform does not answer at ${demo.baseUrl}: start it with \`npm start\`.`, {
        cause: error,
      });
    }
  };
  const answer = await call('/webhooks', 'POST', {
    url,
    eventTypes,
    ordered,
    description: 'platform listen',
  });
  const endpoint = (await answer.json()) as { id: string; secret: string; message?: string };
  if (answer.status !== 200) throw new ConfigError(`The platform rejected the endpoint: ${endpoint.message}`);
  const leave = () =>
    void call(`/webhooks/${endpoint.id}`, 'DELETE').then(
      () => process.exit(0),
      // The platform has stopped before this command, so the endpoint is kept.
      (error: unknown) => {
        writeSentence('error', describeFailure(error));
        process.exit(1);
      },
    );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
  createInterface({ input: process.stdin }).on('line', (line) => {
    if (line.trim() === 'r')
      void rotateSecret(call, endpoint.id).catch((error: unknown) => print(describeFailure(error)));
  });
  print(
    `Endpoint ${endpoint.id} receives every event of the demo partner's test accounts. Its secret: ${endpoint.secret}`,
  );
  return endpoint.secret;
}

async function rotateSecret(
  call: (path: string, method: string) => Promise<Response>,
  endpointId: string,
): Promise<void> {
  const answer = await call(`/webhooks/${endpointId}/rotate-secret`, 'POST');
  const { secret, rotationEndsAt, message } = (await answer.json()) as {
    secret: string;
    rotationEndsAt: string;
    message?: string;
  }; // the fields of a success or of an error
  if (answer.status !== 200) return print(`The secret was not rotated: ${message}`);
  secrets = [secret, ...secrets];
  print(`The new secret: ${secret}. Deliveries are also signed with the previous secret until ${rotationEndsAt}.`);
}
