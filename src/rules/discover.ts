import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RuleKind } from '../engine/rule/types.ts'
import { type Finding, finding } from './findings.ts'

/** A rule file as its place in the folder tells of it. */
export interface FoundRule {
  /** As findings name it: relative to the working folder. */
  readonly file: string
  readonly testFile: string
  readonly hasTest: boolean
  readonly kind: RuleKind
  readonly slug: string
  /** The folder of a technology. */
  readonly category?: string
}

/** What lies in one rule folder. */
export interface FoundFolder {
  readonly root: string
  readonly rules: readonly FoundRule[]
  readonly categoriesFile: string | null
  readonly findings: readonly Finding[]
}

const KINDS: ReadonlyMap<string, RuleKind> = new Map([
  ['builders', 'builder'],
  ['hosting', 'hosting'],
  ['site-types', 'site-type'],
  ['technologies', 'technology'],
])
/** Files a rule folder may hold beside its rules. */
const BESIDES = new Set(['README.md', 'schema.json', 'test-schema.json', 'categories.yaml'])

/**
 * Finds every rule below a folder: kind and slug are folder and file name. The folder itself may be a symbolic link; inside it
 * none is followed, and nothing but regular files is read: a link could lead to any file of the machine, and a pipe or a
 * device never ends.
 * @throws when the folder cannot be read
 */
export function discoverRules(root: string): FoundFolder {
  const rules: FoundRule[] = []
  const findings: Finding[] = []
  const stray = (path: string, reason: string): void => {
    findings.push(finding('stray-file', { file: nameOf(path), line: 1, column: 1 }, { reason }))
  }
  const top = readdirSync(root, { withFileTypes: true })
  for (const entry of top) {
    const path = join(root, entry.name)
    const kind = KINDS.get(entry.name)
    if (entry.name.startsWith('.') || (BESIDES.has(entry.name) && isRegular(path))) continue
    if (!isPlain(entry)) stray(path, whyNot(entry))
    else if (!entry.isDirectory() || kind === undefined)
      stray(path, `a rule folder holds ${[...KINDS.keys()].join(', ')}`)
    else if (kind !== 'technology') rules.push(...rulesIn(path, kind, undefined, stray))
    else
      for (const folder of readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))) {
        const below = join(path, folder.name)
        if (folder.isDirectory()) rules.push(...rulesIn(below, kind, folder.name, stray))
        else stray(below, isPlain(folder) ? 'a technology lies in the folder of its category' : whyNot(folder))
      }
  }
  const categories = join(root, 'categories.yaml')
  const categoriesFile = isRegular(categories) ? nameOf(categories) : null
  return { root, rules, categoriesFile, findings }
}

function nameOf(path: string): string {
  const name = relative('.', path) || '.'
  return name.startsWith('../../..') ? path : name
}

/** Whether this is a regular file itself, not a link to one. */
function isRegular(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function isPlain(entry: Dirent): boolean {
  return entry.isFile() || entry.isDirectory()
}

function whyNot(entry: Dirent): string {
  return entry.isSymbolicLink()
    ? 'it is a symbolic link; put the file or folder itself here'
    : 'it is not a regular file'
}

function rulesIn(
  folder: string,
  kind: RuleKind,
  category: string | undefined,
  stray: (path: string, reason: string) => void,
): FoundRule[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
  for (const { name } of entries.filter((entry) => entry.isDirectory()))
    stray(join(folder, name), 'rules lie side by side here, not in folders')
  const names: string[] = []
  for (const entry of entries.filter((entry) => !entry.isDirectory())) {
    if (entry.isFile()) names.push(entry.name)
    else stray(join(folder, entry.name), whyNot(entry))
  }
  names.sort()
  const known = new Set(names)
  const rules: FoundRule[] = []
  for (const name of names) {
    const path = join(folder, name)
    if (name.endsWith('.test.yaml')) {
      const rule = name.replace(/\.test\.yaml$/, '.yaml')
      if (!known.has(rule)) stray(path, `there is no rule ${rule} beside this test`)
    } else if (name.endsWith('.yaml')) {
      const testName = name.replace(/\.yaml$/, '.test.yaml')
      const found = {
        file: nameOf(path),
        testFile: nameOf(join(folder, testName)),
        hasTest: known.has(testName),
        kind,
        slug: name.slice(0, -5),
      }
      rules.push(category === undefined ? found : { ...found, category })
    } else stray(path, 'a rule is <slug>.yaml, its test <slug>.test.yaml')
  }
  return rules
}
