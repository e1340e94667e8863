import { cells } from './matrix.ts';
import { matrixSuite } from './matrix-suite.ts';

matrixSuite('embedded', cells);
