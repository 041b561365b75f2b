/** Attributes of a CPE 2.3 name after the version: update, edition, language, software edition, target software and hardware, other. */
const ATTRIBUTES_AFTER_VERSION = 7

/**
 * Formats a complete CPE 2.3 name (NIST IR 7695, 6.2: the formatted string binding).
 * @param beginning the name up to the product: cpe:2.3:a:jquery:jquery
 * @param version null if it is not known
 */
export function formatCpe(beginning: string, version: string | null): string {
  return [beginning, version === null ? '*' : quote(version), ...Array(ATTRIBUTES_AFTER_VERSION).fill('*')].join(':')
}

/** Letters, digits, hyphens, full stops and underscores stand for themselves in a value; a single hyphen means that there is none. */
function quote(value: string): string {
  const printable = value.toLowerCase().replace(/[^\x21-\x7e]/g, '_')
  return printable === '-' ? '\\-' : printable.replace(/[^a-z0-9._-]/g, '\\$&')
}
