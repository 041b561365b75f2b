/** What an author did wrong around a text of several lines, and where: line and column count from 1. */
export interface BlockError {
  readonly line: number
  readonly column: number
  readonly reason: string
}

/** A line that begins a text of several lines: `html: |`. */
interface BlockHead {
  readonly key: string
  /** Index of its line. */
  readonly at: number
  /** Number of characters before the key. */
  readonly indent: number
}

/** A key, what is before it, and what is behind its colon. */
const KEY = /^((?: *- )* *)([\w-]+):(?: (.*))?$/
/** The mark of a text of several lines. */
const BLOCK_MARK = /^[|>][-+\d]*(?: +#.*)?$/

/**
 * Explains a syntax error in or below a text of several lines, such as the HTML of a test page. The parser reads a line that is
 * indented too little as YAML, and reports what is wrong with that.
 * @param line the line of the parser's error, from 1
 * @returns null if the error has another cause
 */
export function explainBlockError(text: string, line: number): BlockError | null {
  const lines = text.split('\n')
  const start = findLastKey(lines, line)
  if (start === null) return null
  const { head, value } = start
  if (BLOCK_MARK.test(value)) return explainLines(lines, head, line)
  const mark = /^[|>][-+\d]* +(?=[^ #])/.exec(value)
  if (mark !== null) {
    const column = lines[head.at].length - value.length + mark[0].length + 1
    const reason = `the text of ${head.key} begins in the line below the |: move what is here there`
    return { line: head.at + 1, column, reason }
  }
  return explainMissingMark(lines, head, value, line)
}

/** Finds the last key at or above a line that is not a line of HTML itself. */
function findLastKey(lines: readonly string[], line: number): { head: BlockHead; value: string } | null {
  let found: { head: BlockHead; value: string } | null = null
  for (let at = 0; at < Math.min(line, lines.length); at++) {
    const [, before, key, value = ''] = KEY.exec(lines[at].trimEnd()) ?? []
    if (key === undefined) continue
    // Inside of a text, a line may look like a key.
    const isInside = found !== null && BLOCK_MARK.test(found.value) && before.length > found.head.indent
    if (!isInside) found = { head: { key, at, indent: before.length }, value: value.trim() }
  }
  return found
}

function explainLines(lines: readonly string[], { key, at, indent }: BlockHead, line: number): BlockError | null {
  let first: { readonly at: number; readonly spaces: number } | null = null
  for (let i = at + 1; i < lines.length; i++) {
    const [space] = /^[ \t]*/.exec(lines[i]) ?? ['']
    if (lines[i].trim() === '') continue
    if (first !== null && i + 1 > line && space.length >= first.spaces) continue
    const tab = space.indexOf('\t')
    const spaces = tab < 0 ? space.length : tab
    const needed = first?.spaces ?? indent + 2
    if (spaces >= needed || (first === null && tab < 0 && spaces > indent)) {
      first ??= { at: i, spaces }
      continue
    }
    const place = { line: i + 1, column: spaces + 1 }
    if (tab >= 0) {
      const reason = `a tab indents this line of ${key}: indent it with spaces, at least ${needed}`
      return { ...place, reason }
    }
    if (first === null) {
      const reason = `the text of ${key} must be indented more than its key: begin each line with ${indent + 2} spaces or more`
      return { ...place, reason }
    }
    if (KEY.test(lines[i].trimEnd()) && !lines[i].trimStart().startsWith('<') && spaces <= indent) return null
    const reason = `this line has ${formatSpaces(spaces)} before it, but the text of ${key} began with ${first.spaces} in line ${first.at + 1}, so the text ends here: indent it with ${first.spaces} or more`
    return { ...place, reason }
  }
  return null
}

function formatSpaces(count: number): string {
  return count === 0 ? 'no space' : count === 1 ? '1 space' : `${count} spaces`
}

/** Explains HTML in several lines below a key without the mark. */
function explainMissingMark(
  lines: readonly string[],
  { key, at, indent }: BlockHead,
  value: string,
  line: number,
): BlockError | null {
  const below = lines.slice(at + 1).find((one) => one.trim() !== '') ?? ''
  const isHtml = value.startsWith('<') || (value === '' && below.trimStart().startsWith('<'))
  const isLonger = below.startsWith(' '.repeat(indent + 1)) && below.trimStart().startsWith('<')
  if (!isHtml || !isLonger || line < at + 1) return null
  const reason = `a text of several lines needs a | behind its key: write ${key}: | and the text below it, indented`
  return { line: at + 1, column: indent + 1, reason }
}
