const { Platform } = require('@partner-payments/sdk');

async function main() {
  const { smoke } = await import('./smoke.mjs');
  console.log(JSON.stringify([typeof Platform.test, ...(await smoke(process.env))]));
}
void main();
