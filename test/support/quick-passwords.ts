import { registerHooks } from 'node:module';

// The engine of users hashes each password for 60 ms of processor time. Here it uses a thousandth of that work; the
// files of other projects use all of it.

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
