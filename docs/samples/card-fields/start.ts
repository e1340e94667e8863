import { createShop } from './shop.ts';

// Starts the shop beside a platform: PLATFORM_KEY=tp_sk_test_… node docs/samples/card-fields/start.ts
const { PLATFORM_URL: platformUrl = 'http://localhost:4000', PLATFORM_KEY: key, PORT: port = '4300' } = process.env;
const origin = `http://localhost:${port}`;
if (key === undefined) {
  process.stderr.write('Set PLATFORM_KEY to a sub-key of test mode: tp_sk_test_…\n');
  process.exitCode = 1;
} else createShop({ platformUrl, key, origin }).listen(Number(port), () => process.stdout.write(`${origin}\n`));
