import type { Page } from '../../engine/page/page-types.ts'
import type { Explainer } from './explainer.ts'
import type { Mark } from './mark.ts'
import { isGenericName, isOrdinary, isOrdinaryPrefix } from './ordinary.ts'

/** Maximum number of characters of inline scripts of a page that are searched for globals. */
const MAX_CODE_CHARACTERS = 200_000
/** Characters after a global that a clause may look for. */
const MAX_STATEMENT = 120
/** `window.acme = …`, `window["acme"] = …`, `self.acme = …`; `==` compares. */
const GLOBAL = /\b(?:window|self|globalThis)(?:\.([\w$]{3,40})|\[["']([\w$]{3,40})["']\])\s{0,3}=(?![=>])/g
/** `var acme = …` at the beginning of a script. */
const VARIABLE = /^\s{0,80}(?:var|let|const)\s([\w$]{3,40})\s?=/
/** `acme_` of `acme_settings`. */
const FAMILY = /^(_{0,2}[a-z][a-z0-9]{2,14}_)[a-z0-9].*$/i
/** The beginning of a name that a product gives to all of its names: `kl-` of `kl-hero`, `kl_` of `kl_row`. */
const PREFIX = /^([a-z][a-z0-9]{1,14})(--|__|[-_])[a-z0-9]/i
/** Fewer names with the same beginning may be those of one site. */
const MIN_NAMES = 3
const MAX_NAME = 80

/** Reads the globals that inline scripts set. */
export function readGlobals({ scripts }: Page, explainer: Explainer): Mark[] {
  const marks = new Map<string, Mark>()
  let left = MAX_CODE_CHARACTERS
  for (const script of scripts) {
    if (left <= 0) break
    const code = script.slice(0, left)
    left -= code.length
    const variable = VARIABLE.exec(code)
    for (const match of [...(variable === null ? [] : [variable]), ...code.matchAll(GLOBAL)]) {
      const name = match[1] ?? match[2]
      if (/\d{4,}|^[_$]+$/.test(name) || isOrdinary('inline', name.toLowerCase()) || isGenericName(name)) continue
      // A product that sets many globals begins them all with its name.
      const key = name.replace(FAMILY, '$1*')
      const text = code.slice(match.index, match.index + match[0].length + MAX_STATEMENT)
      const isExplained =
        marks.get(key)?.isExplained === true || explainer.explains(['inline', 'html'], { name: '', text })
      marks.set(key, { kind: 'global', key, shown: marks.get(key)?.shown ?? text, isExplained })
    }
  }
  return [...marks.values()]
}

/** Reads the beginnings that several class names or ids of a page share. */
export function readPrefixes({ tape }: Page, explainer: Explainer): Mark[] {
  const groups = { class: new Map<string, NameGroup>(), id: new Map<string, NameGroup>() }
  for (let at = 0; at < tape.tags.length; at++)
    for (let k = tape.attributes[at]; k < tape.attributes[at + 1]; k++) {
      const name = tape.names[k]
      if (name === 'id') addName(groups.id, tape.values[k], at, explainer)
      else if (name === 'class')
        for (const one of tape.values[k].split(/\s+/)) addName(groups.class, one, at, explainer)
    }
  return (['class', 'id'] as const).flatMap((kind) =>
    [...groups[kind]].flatMap(([prefix, { stem, names, isExplained }]): Mark[] => {
      if (names.size < MIN_NAMES || isOrdinaryPrefix(kind, prefix, stem) || isGenericName(stem)) return []
      return [{ kind, key: prefix, shown: [...names].slice(0, MIN_NAMES).join(' '), isExplained }]
    }),
  )
}

/** Names with the same beginning. */
interface NameGroup {
  readonly stem: string
  readonly names: Set<string>
  isExplained: boolean
}

function addName(groups: Map<string, NameGroup>, name: string, at: number, explainer: Explainer): void {
  if (name.length > MAX_NAME) return
  const [, stem, separator] = PREFIX.exec(name) ?? []
  if (stem === undefined) return
  const prefix = `${stem}${separator}`.toLowerCase()
  let group = groups.get(prefix)
  if (group === undefined)
    groups.set(prefix, (group = { stem: stem.toLowerCase(), names: new Set(), isExplained: false }))
  if (group.names.size < MIN_NAMES) group.names.add(name)
  group.isExplained ||= explainer.elements.has(at)
}
