import type { PageInput } from '../engine/page/page.ts'
import { type Places, toList } from '../engine/rule/clause.ts'
import type { ClauseSource } from '../engine/rule/types.ts'
import { buildFinding, type Finding } from '../rules/findings.ts'
import type { Path, SourceFile } from '../yaml/source-file.ts'

interface Literal {
  readonly path: Path
  readonly value: string
}

/**
 * Reports literals that begin inside a longer word wherever a hit shows them: `xpanel.init(` finds `mixpanel.init(` too, so no page
 * shows that its first letters are missing. Literals under a `not` are left out.
 * @param pages the pages of the hits
 */
export function findCutWords(
  { file, detect }: { readonly file: SourceFile; readonly detect: readonly ClauseSource[] },
  pages: readonly PageInput[],
  places: Places,
): Finding[] {
  const literals = detect.flatMap((clause, i) => listLiterals(clause, ['detect', i], places))
  if (literals.length === 0) return []
  const texts = pages.flatMap(listTexts)
  const isCut = ({ value }: Literal): boolean => {
    const starts = texts.flatMap((text) => findStarts(text, value.toLowerCase()))
    return starts.length > 0 && !starts.includes(true)
  }
  return literals.filter(isCut).map(({ path, value }) => buildFinding('cut-word', file.valueAt(path), { value }))
}

function listLiterals(clause: ClauseSource, path: Path, places: Places): Literal[] {
  return Object.entries(clause).flatMap(([key, value]) => {
    if (['all', 'any', 'of'].includes(key))
      return toList<ClauseSource>(value).flatMap((one, i) => listLiterals(one, [...path, key, i], places))
    if (places.get(key)?.word !== 'literal') return []
    const at = (i: number): Path => (Array.isArray(value) ? [...path, key, i] : [...path, key])
    return toList<string>(value).map((one, i) => ({ path: at(i), value: one }))
  })
}

/** Lists what literals are looked for in, in lower case, as the author of the page wrote it. */
function listTexts({ html, robots, scripts, styles }: PageInput): string[] {
  const bodies = [...(scripts ?? []), ...(styles ?? [])].map(({ text }) => text)
  return [html, robots, ...bodies].flatMap((text) => (typeof text === 'string' ? [text.toLowerCase()] : []))
}

/** Tells for each occurrence of a literal whether a word begins there. */
function findStarts(text: string, literal: string): boolean[] {
  const starts: boolean[] = []
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1))
    starts.push(!/^\w/.test(literal) || !/\w/.test(text.charAt(at - 1)))
  return starts
}
