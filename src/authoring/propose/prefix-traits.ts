import type { Page } from '../../engine/page/page-types.ts'
import { readPageWords } from '../common-words/page-words.ts'
import { trimEnd } from '../common-words/trim.ts'
import type { Trait, WordFilter } from './trait.ts'

/** The beginning of a name that a product gives to all of its names: `kl-` of `kl-hero`, `kl_` of `kl_row`, `kl--`. */
const PREFIX = /^([a-z][a-z0-9]{1,14})(--|__|[-_])[a-z0-9]/i
/** Fewer names with the same beginning may be those of one site. */
const MIN_NAMES = 3
/** The same for comments, which say what a part of the page is: `<!-- kl:hero -->`. */
const MIN_COMMENTS = 2
/** A comment that begins like a name in code, with the namespace of a product. */
const MARK = /^\s*\/?([a-z][a-z0-9]{1,14}:)[a-z]/i

/** Finds beginnings that many class names, ids or comments of a page share, and that ordinary pages do not have. */
export function findPrefixTraits(page: Page, filter: WordFilter): Trait[] {
  const { names, values } = page.tape
  const listValues = (name: string): string[] => values.filter((_, k) => names[k] === name)
  const classes = listValues('class').flatMap((value) => value.split(/\s+/))
  return [
    ...findPrefixes(classes, 'class', filter).map(buildClassTrait),
    ...findPrefixes(listValues('id'), 'id', filter).map(buildIdTrait),
    ...findMarks(page.comments, filter),
  ]
}

function findPrefixes(names: readonly string[], attribute: 'class' | 'id', filter: WordFilter): string[] {
  const byPrefix = new Map<string, Set<string>>()
  for (const name of names) {
    const [, word, separator] = PREFIX.exec(name) ?? []
    if (word === undefined) continue
    const prefix = `${word}${separator}`
    byPrefix.set(prefix, (byPrefix.get(prefix) ?? new Set()).add(name))
  }
  return [...byPrefix]
    .filter(([, all]) => all.size >= MIN_NAMES)
    .map(([prefix]) => prefix)
    .filter((prefix) => isRare(prefix, attribute) && filter.isName(prefix))
}

/** Whether ordinary pages do not have names that begin so. */
function isRare(prefix: string, attribute: 'class' | 'id'): boolean {
  const table = readPageWords()
  const lower = prefix.toLowerCase()
  const part = `${attribute}~${trimEnd(lower, '-_')}`
  return table.findBeginning(attribute, lower).sites === 0 && table.find('part', part).sites === 0
}

/** Builds the trait of class names that begin with `prefix`. */
export function buildClassTrait(prefix: string): Trait {
  const body = ['hero', 'row', 'text'].map((name, i) => `<div class="${i === 0 ? 'wide ' : ''}${prefix}${name}"></div>`)
  return {
    clause: { element: `[class^="${prefix}"], [class*=" ${prefix}"]`, atLeast: MIN_NAMES },
    name: prefix,
    shown: { body: body.join('') },
    isShared: true,
  }
}

/** Builds the trait of ids that begin with `prefix`. */
export function buildIdTrait(prefix: string): Trait {
  const body = ['hero', 'row', 'text'].map((name) => `<div id="${prefix}${name}"></div>`)
  return {
    clause: { element: `[id^="${prefix}"]`, atLeast: MIN_NAMES },
    name: prefix,
    shown: { body: body.join('') },
    isShared: true,
  }
}

function findMarks(comments: readonly string[], filter: WordFilter): Trait[] {
  const counts = new Map<string, number>()
  for (const comment of comments) {
    const [, mark] = MARK.exec(comment) ?? []
    if (mark !== undefined) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  }
  return [...counts]
    .filter(([mark, count]) => count >= MIN_COMMENTS && filter.isName(mark))
    .filter(([mark]) => readPageWords().find('comment', mark.slice(0, -1).toLowerCase()).sites === 0)
    .map(([mark]) => ({
      clause: { comment: mark },
      name: mark,
      shown: { body: `<!-- ${mark}row --><!-- /${mark}row -->` },
      isShared: true,
    }))
}
