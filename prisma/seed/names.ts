const firstNames = [
  'Ada',
  'Bruno',
  'Chiara',
  'Dmitri',
  'Elif',
  'Farid',
  'Grace',
  'Hana',
  'Ivan',
  'Jun',
  'Kemi',
  'Liam',
  'Mei',
];
const lastNames = [
  'Abara',
  'Berg',
  'Castillo',
  'Dubois',
  'Eriksen',
  'Fischer',
  'Greco',
  'Haddad',
  'Ito',
  'Jansen',
  'Kowalski',
];

/** An invented name of a demo customer, the same at every first start. The lists repeat together after 143 customers. */
export function nameOf(index: number): { firstName: string; lastName: string } {
  return {
    firstName: firstNames[index % firstNames.length] ?? '',
    lastName: lastNames[index % lastNames.length] ?? '',
  };
}
