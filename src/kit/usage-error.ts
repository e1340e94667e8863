/** A wrong command line. Its message is for whoever typed it. */
export class UsageError extends Error {}
