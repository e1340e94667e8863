import { registerHooks } from 'node:module';

// The hash of one password takes the embedded identity provider 60 ms of processor time. In the suite it has a lower cost.
// The other projects, and servers that run as processes, use the full cost.

const file = '/@better-auth/utils/dist/password.node.mjs';
const work = 'N: 16384';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(file)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(work))
      throw new Error(`${file} has no "${work}". Adapt test/support/quick-passwords.ts to it.`);
    return { ...loaded, source: source.replace(work, 'N: 16') };
  },
});
