/** Names and amounts of the demo, which are also those of the examples of the API reference. */
export const demoNames = {
  partner: { slug: 'north', name: 'North Payments' },
  merchant: { legalName: 'Corner Shop Ltd', externalRef: 'corner-shop-ltd' },
  store: 'Corner Shop Online',
  customer: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
  club: { name: 'Coffee club', description: 'Two bags a delivery', monthlyAmount: 1_900 },
  mug: { name: 'Mug', unitAmount: 1_250 },
  course: { name: 'Bread course', unitAmount: 4_900 },
  flow: 'Two in a row',
  endpoint: 'Shop: payments',
} as const;
