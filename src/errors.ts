/** What an operator or author set wrong; `message` says what to do. Nothing of it is secret. */
export class SetupError extends Error {}
