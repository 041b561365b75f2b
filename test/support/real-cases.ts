import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { detectors } from '../../plugins/index.ts'
import type { PageInput } from '../../src/engine/page/page.ts'
import type { Categories, RuleSource } from '../../src/engine/rule/types.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { checkFolders } from '../../src/rules/load/load.ts'

/** A page of a test, with a name. */
export interface NamedPage {
  readonly name: string
  readonly input: PageInput
}

/** The project's rules, and the pages of their test files. */
interface OwnRules {
  readonly rules: readonly RuleSource[]
  readonly categories: Categories
  readonly fixtures: readonly NamedPage[]
}

let ownRules: OwnRules | undefined

/** Reads the project's rules and the pages of their tests from YAML, once for all test files of a worker. */
export function readOwnRules(): OwnRules {
  ownRules ??= readRules(join(projectFolder(), 'rules'))
  return ownRules
}

/** Reads the rules of a folder, and the pages of their tests. */
export function readRules(folder: string): OwnRules {
  const checked = checkFolders({ folders: [folder], detectors })
  const rules = checked.rules.flatMap(({ source }) => (source === null ? [] : [source]))
  const fixtures = checked.rules.flatMap(({ found }) =>
    readFixtures(found).fixtures.map(({ input, path }) => ({
      name: `${found.kind}/${found.slug} ${path.join(' ')}`,
      input,
    })),
  )
  return { rules, categories: checked.categories, fixtures }
}

const file = join(projectFolder(), '..', 'shared', 'pages', 'pages.jsonl.gz')

/** Reads pages of third parties from outside the repository, where they must not be copied; none if the file is missing. */
export function readRealPages(): NamedPage[] {
  if (!existsSync(file)) {
    console.warn(`SKIPPED: ${file} does not exist, so nothing runs on real pages`)
    return []
  }
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const { id, url, status, headers, html }: PageInput & { id: string } = JSON.parse(line)
    return { name: id, input: { url, status, headers, html } }
  })
}
