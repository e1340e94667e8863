import { smoke } from './smoke.mjs';

/** A worker that runs the program at each request. */
export default {
  async fetch(_request, env) {
    return Response.json(await smoke(env));
  },
};
