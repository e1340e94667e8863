/** What can be said of a card before the server is asked, which decides. */
globalThis.cardRules = (() => {
  const brands = [
    { name: 'amex', title: 'Amex', starts: /^3[47]/, lengths: [15], groups: [4, 6, 5], cvc: 4 },
    {
      name: 'diners',
      title: 'Diners',
      starts: /^3(0[0-5]|[68]|9)/,
      lengths: [14, 16, 19],
      groups: [4, 6, 4, 5],
      cvc: 3,
    },
    { name: 'jcb', title: 'JCB', starts: /^(2131|1800|35)/, lengths: [16, 17, 18, 19], cvc: 3 },
    { name: 'visa', title: 'Visa', starts: /^4/, lengths: [16, 18, 19], cvc: 3 },
    {
      name: 'mastercard',
      title: 'Mastercard',
      starts: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
      lengths: [16],
      cvc: 3,
    },
    { name: 'discover', title: 'Discover', starts: /^(6011|64[4-9]|65)/, lengths: [16, 19], cvc: 3 },
    { name: 'unionpay', title: 'UnionPay', starts: /^62/, lengths: [14, 15, 16, 17, 18, 19], cvc: 3 },
    { name: 'maestro', title: 'Maestro', starts: /^(5[06789]|6)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19], cvc: 3 },
  ];
  const anyBrand = { name: null, title: '', lengths: [12, 13, 14, 15, 16, 17, 18, 19], cvc: 3 };

  function brandOf(digits) {
    return brands.find(({ starts }) => starts.test(digits)) ?? anyBrand;
  }

  function titleOf(name) {
    return brands.find((brand) => brand.name === name)?.title ?? name;
  }

  function luhn(digits) {
    const sum = [...digits].toReversed().reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return sum % 10 === 0;
  }

  function groupedNumber(digits) {
    const { groups = [4, 4, 4, 4, 3], lengths } = brandOf(digits);
    let rest = digits.slice(0, Math.max(...lengths));
    const parts = [];
    for (const length of groups) {
      parts.push(rest.slice(0, length));
      rest = rest.slice(length);
    }
    return parts.filter(Boolean).join(' ');
  }

  function groupedExpiry(digits, isGrown) {
    const whole = /^[2-9]/.test(digits) ? `0${digits}` : digits;
    const [month, year] = [whole.slice(0, 2), whole.slice(2, 6)];
    if (year !== '') return `${month} / ${year}`;
    return month.length === 2 && isGrown ? `${month} / ` : month;
  }

  function expiryOf(digits) {
    const year = digits.slice(2);
    const whole = year.length === 2 ? 2000 + Number(year) : year.length === 4 ? Number(year) : null;
    return { month: Number(digits.slice(0, 2)), year: whole };
  }

  /** `empty`, `incomplete`, `complete`, or what is wrong. */
  function statesOf({ number, expiry, cvc }) {
    const brand = brandOf(number);
    const isLong = number.length >= Math.max(...brand.lengths);
    const fits = brand.lengths.includes(number.length);
    return {
      number: stateOf(number, fits && luhn(number), isLong || fits),
      expiry: expiryState(expiry),
      cvc: stateOf(cvc, cvc.length === brand.cvc && /^\d+$/.test(cvc), cvc.length >= brand.cvc),
    };
  }

  function stateOf(text, isRight, isWhole) {
    if (text === '') return 'empty';
    return isRight ? 'complete' : isWhole ? 'invalid' : 'incomplete';
  }

  /** A card is valid through the last day of its month, and for 20 years at most. */
  function expiryState(digits) {
    if (digits === '') return 'empty';
    const { month, year } = expiryOf(digits);
    if (year === null) return 'incomplete';
    if (month < 1 || month > 12) return 'invalid';
    const now = new Date();
    const monthsLeft = (year - now.getFullYear()) * 12 + month - 1 - now.getMonth();
    if (monthsLeft < 0) return 'past';
    return year > now.getFullYear() + 20 ? 'invalid' : 'complete';
  }

  return { brandOf, titleOf, statesOf, expiryOf, groupedNumber, groupedExpiry };
})();
