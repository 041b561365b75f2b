/** An error in a rule: a locator, a selector or a clause that cannot be read. The message is a sentence for the rule's author. */
export class RuleSyntaxError extends Error {}
