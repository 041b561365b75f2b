/** The format of compiled rulesets that this version reads and writes. Another number means an incompatible format. */
export const RULESET_FORMAT = 2
