import type { IncomingMessage } from 'node:http';
import Stripe from 'stripe';

/** Far more than a page of a hundred payment intents. */
const answerBytesMax = 4 * 1024 * 1024;

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * The library's client with bounds for the size of an answer and for the time in which its body arrives, which the
 * library does not have: its timeout starts again with each byte. Beyond either, the connection is closed, which is an
 * unknown outcome.
 */
export function boundedClient(): HttpClient {
  const client = Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const response = await makeRequest(...request);
    const [timeoutMs] = request.slice(-1) as [number]; // the last parameter
    const read = response.toJSON.bind(response);
    response.toJSON = () => {
      bound(response.getRawResponse() as IncomingMessage, timeoutMs); // of the client for Node
      return read();
    };
    return response;
  };
  return client;
}

function bound(message: IncomingMessage, timeoutMs: number): void {
  let bytes = 0;
  message.on('data', (chunk: Buffer | string) => {
    bytes += chunk.length;
    if (bytes > answerBytesMax) message.destroy();
  });
  const timer = setTimeout(() => message.destroy(), timeoutMs);
  message.once('close', () => clearTimeout(timer));
}
