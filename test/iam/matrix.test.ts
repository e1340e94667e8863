import { cells } from './matrix.ts';
import { matrixSuite } from './matrix-suite.ts';
import { graphql, rest } from './transports.ts';

matrixSuite('embedded', cells, { REST: rest, GraphQL: graphql });
