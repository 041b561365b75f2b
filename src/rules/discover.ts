import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { RuleKind } from '../engine/rule/types.ts'
import { buildFinding, type Finding } from './findings.ts'

/** The properties of a rule that the path of its file determines. */
export interface FoundRule {
  /** Path relative to the working folder, as used in findings. */
  readonly file: string
  readonly testFile: string
  readonly hasTest: boolean
  readonly kind: RuleKind
  readonly slug: string
  /** Category folder; for technologies only. */
  readonly category?: string
  /** The rule is one of the built file of a package: `file` is only its name in findings, and there is no such file. */
  readonly isBuilt?: true
}

/** Contents of one rule folder. */
export interface FoundFolder {
  readonly root: string
  /** The folder as used in findings: the beginning of the paths of its files. */
  readonly shown: string
  readonly rules: readonly FoundRule[]
  readonly categoriesFile: string | null
  readonly findings: readonly Finding[]
}

/** Folder of a rule folder → the kind of the rules in it. */
export const KINDS: ReadonlyMap<string, RuleKind> = new Map([
  ['builders', 'builder'],
  ['hosting', 'hosting'],
  ['responses', 'response'],
  ['site-types', 'site-type'],
  ['technologies', 'technology'],
])
/** File of a rule folder: a list of slugs of technologies that many sites have. */
export const MOST_SEEN = 'most-seen.yaml'
/** Files that a rule folder may contain besides its rules. */
const OTHER_FILES = new Set(['README.md', 'categories.yaml', 'lifecycles.json', MOST_SEEN])

/**
 * Finds every rule below a folder. The subfolder is the kind of a rule, and the file name is its slug. The folder itself may be
 * a symbolic link. Inside it no link is followed, since it could lead to any file of the machine, and only regular files are
 * read, since a pipe or a device may never end.
 * @throws if the folder cannot be read
 */
export function discoverRules(root: string): FoundFolder {
  const rules: FoundRule[] = []
  const findings: Finding[] = []
  const reportStray = (path: string, reason: string): void => {
    findings.push(buildFinding('stray-file', { file: formatPath(path), line: 1, column: 1 }, { reason }))
  }
  // Formatted once, because each call asks for the working folder. Below a folder that contains it, paths are formatted one by one.
  const shown = formatPath(root)
  const format = /^\.\.(?:[\\/]\.\.)*$/.test(shown) ? formatPath : (path: string): string => path
  const top = readdirSync(root, { withFileTypes: true })
  for (const entry of top) {
    const path = join(shown, entry.name)
    const kind = KINDS.get(entry.name)
    if (entry.name.startsWith('.') || (OTHER_FILES.has(entry.name) && isRegular(path))) continue
    if (!isFileOrFolder(entry)) reportStray(path, explainEntry(entry))
    else if (!entry.isDirectory() || kind === undefined)
      reportStray(path, `a rule folder contains the folders ${[...KINDS.keys()].join(', ')}`)
    else if (kind !== 'technology') rules.push(...findRules(path, kind, undefined, reportStray))
    else
      for (const folder of readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))) {
        const below = join(path, folder.name)
        if (folder.isDirectory()) rules.push(...findRules(below, kind, folder.name, reportStray))
        else
          reportStray(
            below,
            isFileOrFolder(folder) ? 'a technology belongs in the folder of its category' : explainEntry(folder),
          )
      }
  }
  const categories = join(shown, 'categories.yaml')
  const found = format === formatPath ? rules.map(formatRule) : rules
  return { root, shown, rules: found, categoriesFile: isRegular(categories) ? format(categories) : null, findings }
}

function formatPath(path: string): string {
  const name = relative('.', path) || '.'
  return name.startsWith('../../..') ? path : name
}

function formatRule(rule: FoundRule): FoundRule {
  return { ...rule, file: formatPath(rule.file), testFile: formatPath(rule.testFile) }
}

/** Whether the path is a regular file, not a link to one. */
function isRegular(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function isFileOrFolder(entry: Dirent): boolean {
  return entry.isFile() || entry.isDirectory()
}

function explainEntry(entry: Dirent): string {
  return entry.isSymbolicLink()
    ? 'it is a symbolic link; replace it with the file or folder'
    : 'it is not a regular file'
}

function findRules(
  folder: string,
  kind: RuleKind,
  category: string | undefined,
  reportStray: (path: string, reason: string) => void,
): FoundRule[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
  for (const { name } of entries.filter((entry) => entry.isDirectory()))
    reportStray(join(folder, name), 'this folder contains rules only; subfolders are not read')
  const names: string[] = []
  for (const entry of entries.filter((entry) => !entry.isDirectory())) {
    if (entry.isFile()) names.push(entry.name)
    else reportStray(join(folder, entry.name), explainEntry(entry))
  }
  names.sort()
  const known = new Set(names)
  const rules: FoundRule[] = []
  for (const name of names) {
    const path = folder + sep + name // `join` would take a fifth of the time of this function.
    if (name.endsWith('.test.yaml')) {
      const rule = name.replace(/\.test\.yaml$/, '.yaml')
      if (!known.has(rule)) reportStray(path, `the rule ${rule} of this test is missing`)
    } else if (name.endsWith('.yaml')) {
      const testName = name.replace(/\.yaml$/, '.test.yaml')
      const found = {
        file: path,
        testFile: folder + sep + testName,
        hasTest: known.has(testName),
        kind,
        slug: name.slice(0, -5),
      }
      rules.push(category === undefined ? found : { ...found, category })
    } else reportStray(path, 'name a rule <slug>.yaml and its test <slug>.test.yaml')
  }
  return rules
}
