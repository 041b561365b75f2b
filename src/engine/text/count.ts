/** Formats a count with its noun and the form of "be" in the past: `1 URL was`, `2 URLs were`. */
export function formatCountWas(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} was` : `${count} ${noun}s were`
}

/** Formats a part of a count with the form of "be" in the past: `1 of 4 scripts was`, `the only script was`. `of` follows the noun. */
export function formatPartWas(part: number, { all, noun, of }: { all: number; noun: string; of: string }): string {
  if (all === 1) return `the only ${noun} ${of} was`
  return `${part} of ${all} ${noun}s ${of} ${part === 1 ? 'was' : 'were'}`
}
