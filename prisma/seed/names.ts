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

export interface DemoPerson {
  firstName: string;
  lastName: string;
  email: string;
}

/** An invented customer of the demo, the same at every first start. The 143 names have an address each. */
export function personOf(index: number): DemoPerson {
  const firstName = firstNames[index % firstNames.length] ?? '';
  const lastName = lastNames[index % lastNames.length] ?? '';
  return { firstName, lastName, email: `${firstName}.${lastName}@example.com`.toLowerCase() };
}
