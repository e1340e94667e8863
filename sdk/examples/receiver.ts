// A webhook receiver: registers itself, verifies every message, and handles each event once.
// SUB_KEY=tp_sk_test_… PLATFORM_URL=http://localhost:4000 RECEIVER_URL=http://localhost:4400/hook node receiver.ts
import { createServer, type IncomingMessage } from 'node:http';
import { Platform, type WebhookEvent, WebhookSignatureError } from '@partner-payments/sdk';

const { SUB_KEY = '', PLATFORM_URL: baseUrl = 'http://localhost:4000' } = process.env;
const { RECEIVER_URL: url = 'http://localhost:4400/hook' } = process.env;
const shop = Platform.test(SUB_KEY, { baseUrl });

const endpoint = await shop.webhooks.create({ url, eventTypes: ['payment/succeeded', 'payment/refunded'] });
// Keep the secret with the other secrets of the server: it is answered once.
const secrets = [endpoint.secret ?? ''];

/** Those that were handled. A real receiver has a table with a unique key. */
const handled = new Set<string>();

createServer((request, response) => {
  receive(request)
    .then(() => response.writeHead(204).end())
    .catch((error: unknown) => {
      console.error(String(error));
      // 400 for what the platform did not send; anything else is sent again.
      response.writeHead(error instanceof WebhookSignatureError ? 400 : 500).end();
    });
}).listen(new URL(url).port, () => console.log('listening for', endpoint.id));

async function receive(request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const event = shop.webhooks.unwrap(Buffer.concat(chunks), request.headers, secrets);
  if (handled.has(event.id)) return; // a message may come twice
  handle(event);
  handled.add(event.id);
}

function handle(event: WebhookEvent): void {
  switch (event.type) {
    case 'payment/succeeded':
      return console.log('ship', event.data.object.orderId ?? event.data.object.id, event.data.object.capturedAmount);
    case 'payment/refunded':
      return console.log('refunded', event.data.object.refundedAmount);
    default:
      return console.log(event.type);
  }
}
