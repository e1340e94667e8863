/** The characters of a password at the embedded identity provider. */
export const passwordLengthMin = 10;
export const passwordLengthMax = 128;
