// Each file defines scalars of one kind when it is imported.
import './scalars/amounts.ts';
import './scalars/codes.ts';
import './scalars/json.ts';
import './scalars/numbers.ts';
import './scalars/texts.ts';
import './scalars/times.ts';
