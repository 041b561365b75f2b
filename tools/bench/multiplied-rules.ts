import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { detectors } from '../../plugins/index.ts'
import { ownFolder } from '../../src/rules/built.ts'
import { discoverRules, type FoundRule } from '../../src/rules/discover.ts'
import { checkFolders } from '../../src/rules/load/load.ts'

/** Words of so many rules are those of YAML, of addresses and of markup. The others belong to products. */
const MIN_COMMON_RULES = 3

/**
 * Writes copies of the project's rules and of their tests, in which the words of products are replaced by invented ones: rules like
 * the real ones, with as many words, of the same lengths, in the same places. Copies with errors are left out.
 * @param folder the new folder of rules
 * @param copies of each rule
 * @returns the number of rules
 */
export function writeMultipliedRules(folder: string, copies: number): number {
  const found = discoverRules(ownFolder).rules
  const common = findCommonWords(found)
  for (let copy = 1; copy <= copies; copy++)
    for (const rule of found) {
      const slug = replaceWords(rule.slug, common, copy)
      const place = join(folder, dirname(relative(relative('.', ownFolder), rule.file)))
      mkdirSync(place, { recursive: true })
      const write = (from: string, name: string): void =>
        writeFileSync(join(place, name), replaceWords(readFileSync(from, 'utf8'), common, copy))
      const name = slug === rule.slug ? `${slug}-copy-${copy}` : slug
      write(rule.file, `${name}.yaml`)
      if (rule.hasTest) write(rule.testFile, `${name}.test.yaml`)
    }
  // The second pass finds what the deleted ones were needed for.
  for (let pass = 0; pass < 2; pass++) deleteFaulty(folder)
  return discoverRules(folder).rules.length
}

function findCommonWords(rules: readonly FoundRule[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { file } of rules) {
    const words = new Set(
      readFileSync(file, 'utf8')
        .toLowerCase()
        .match(/[a-z]+/g),
    )
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return new Set([...counts].flatMap(([word, count]) => (count >= MIN_COMMON_RULES ? word : [])))
}

/** Replaces each letter of words that are not common by the one that comes `copy` letters later in the alphabet. */
function replaceWords(text: string, common: ReadonlySet<string>, copy: number): string {
  return text.replace(/[a-z]+/gi, (word) => (common.has(word.toLowerCase()) ? word : shiftLetters(word, copy)))
}

function shiftLetters(word: string, by: number): string {
  return word.replace(/[a-z]/gi, (letter) => {
    const first = letter < 'a' ? 65 : 97
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + by) % 26))
  })
}

function deleteFaulty(folder: string): void {
  const { findings } = checkFolders({ folders: [ownFolder, folder], detectors })
  for (const { file, level } of findings)
    if (level === 'error')
      for (const name of [file, file.replace(/\.yaml$/, '.test.yaml')]) rmSync(name, { force: true })
}
