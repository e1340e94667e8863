import { cells } from './matrix.ts';
import { matrixSuite } from './matrix-suite.ts';
import { rest } from './transports.ts';

/**
 * The callers needed to see that each operation is rejected and executed in the same way, over one transport; CI=full
 * or IAM_MATRIX=full runs the whole table.
 */
const representatives = ['super', 'paX', 'paY', 'self'];
const isFull = process.env['CI'] === 'full' || process.env['IAM_MATRIX'] === 'full';

matrixSuite('clerk', isFull ? cells : cells.filter(({ caller }) => representatives.includes(caller)), {
  REST: rest,
});
