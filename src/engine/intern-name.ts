const NAMES: string[] = new Array(1024)
/** V8 keeps a longer slice as a view of its document: such names are not kept. */
const LONGEST_NAME = 12

/** The name of a tag or attribute in lower case. Pages share most names: one that is known needs no new string, and no new hash. */
export function internName(html: string, start: number, end: number): string {
  const at = (31 * (end - start) + 7 * html.charCodeAt(start) + html.charCodeAt(end - 1)) & 1023
  const known = NAMES[at]
  if (known !== undefined && known.length === end - start && html.startsWith(known, start)) return known
  const name = html.slice(start, end).toLowerCase()
  if (name.length <= LONGEST_NAME) NAMES[at] = name
  return name
}
