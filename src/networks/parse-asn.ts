/** Reads the number of an autonomous system: `24940`, `AS24940`. null if it is none. */
export function parseAsn(value: unknown): number | null {
  const [, digits] = /^(?:AS)?([1-9]\d{0,9})$/i.exec(String(value)) ?? []
  const asn = Number(digits)
  return digits !== undefined && asn < 2 ** 32 ? asn : null
}
