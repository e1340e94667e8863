import process from 'node:process';
import { smoke } from './smoke.mjs';

console.log(JSON.stringify(await smoke(process.env)));
