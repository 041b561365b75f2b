/** A line that ends a document of a YAML file. */
const SEPARATOR = /^---[ \t]*$/gm
/** A line that is neither blank, nor a comment, nor a directive. */
const CONTENT = /^[ \t]*[^#%\s]/m

/** The documents of a YAML file that has one or two. */
export interface YamlDocuments {
  readonly first: string
  /**
   * What follows the first line `---` behind other content; null without such a line. Blank lines stand for what precedes it, so that
   * positions in it are those of the file.
   */
  readonly second: string | null
}

/** Splits the text of a YAML file at the first line `---` that has content before it. A third document stays in the second. */
export function splitDocuments(text: string): YamlDocuments {
  if (text.includes('\n---'))
    for (const { index, 0: line } of text.matchAll(SEPARATOR)) {
      const first = text.slice(0, index)
      if (!CONTENT.test(first)) continue
      const rest = text.slice(index + line.length)
      return { first, second: '\n'.repeat(first.split('\n').length - 1) + rest }
    }
  return { first: text, second: null }
}
