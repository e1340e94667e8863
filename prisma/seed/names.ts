const firstNames = [
  'Ada',
  'Bruno',
  'Clara',
  'Dmitri',
  'Elif',
  'Felix',
  'Grace',
  'Hannah',
  'Ivan',
  'Jun',
  'Karen',
  'Liam',
  'Mei',
];
const lastNames = [
  'Abbott',
  'Berg',
  'Castillo',
  'Dubois',
  'Erickson',
  'Fischer',
  'Greco',
  'Hughes',
  'Ito',
  'Jansen',
  'Keller',
];

/**
 * An invented name of a demo customer, the same at every first start. The lists repeat together after 143 customers.
 */
export function nameOf(index: number): { firstName: string; lastName: string } {
  return {
    firstName: firstNames[index % firstNames.length] ?? '',
    lastName: lastNames[index % lastNames.length] ?? '',
  };
}
