/** 32 random digits have fewer different ones once in ten million secrets. */
const MIN_DIFFERENT = 6
/** Characters at the end of a secret that repeat its beginning. Random ones do not. */
const MIN_REPEATED = 8
/** Share of characters that follow or repeat the one before them. Of random digits it is 0.28. */
const MAX_SEQUENCE_SHARE = 0.8
/** Words of examples and placeholders. */
const PLACEHOLDER = /change.?(?:me|this|it)|passw[o0]rd|replace.?(?:me|this)|your.?(?:secret|pepper|own)|qwertz|qwerty/i

/**
 * Describes why a secret could be guessed, for a sentence whose subject is the secret. A secret from a random source is never weak
 * by these rules.
 * @returns null if none of the rules applies
 */
export function describeWeakness(secret: string): string | null {
  const characters = [...secret]
  const different = new Set(characters).size
  if (different === 1) return 'is one repeated character'
  if (different < MIN_DIFFERENT) return `has only ${different} different characters`
  if (hasPeriod(characters)) return 'is a repeated text'
  if (isSequence(characters)) return 'is a sequence of characters'
  return PLACEHOLDER.test(secret) ? 'looks like a placeholder' : null
}

/** Whether the characters repeat after some distance, to their end. */
function hasPeriod(characters: readonly string[]): boolean {
  for (let period = 1; period <= characters.length - MIN_REPEATED; period++)
    if (characters.every((one, i) => i < period || one === characters[i - period])) return true
  return false
}

/** Whether most characters follow or repeat the one before them, as in `abcd…` and `9876…`. */
function isSequence(characters: readonly string[]): boolean {
  const codes = characters.map((one) => one.codePointAt(0) ?? 0)
  const steps = codes.filter((code, i) => i > 0 && Math.abs(code - codes[i - 1]) <= 1).length
  return steps / (codes.length - 1) > MAX_SEQUENCE_SHARE
}
