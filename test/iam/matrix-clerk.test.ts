import { cells } from './matrix.ts';
import { matrixSuite } from './matrix-suite.ts';

/** Who is enough to see that each operation is refused and done the same way; the whole table runs with CI=full or IAM_MATRIX=full. */
const representatives = ['super', 'paX', 'paY', 'self'];
const isFull = process.env['CI'] === 'full' || process.env['IAM_MATRIX'] === 'full';

matrixSuite('clerk', isFull ? cells : cells.filter(({ caller }) => representatives.includes(caller)));
