import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { detectors } from '../plugins/index.ts'
import { FOUND } from '../src/engine/rule/clause.ts'
import type { Place } from '../src/engine/rule/place.ts'
import { SCAN_CAUSES } from '../src/errors.ts'
import { buildPage, detect, loadRuleset, toResult } from '../src/index.ts'
import { testSchema } from '../src/rules/data-schemas.ts'
import { FINDING_TABLE } from '../src/rules/findings.ts'
import { checkFolders } from '../src/rules/load.ts'
import { ownFolder } from '../src/rules/open-ruleset.ts'
import { buildRuleSchema } from '../src/rules/schema.ts'
import { serviceTables } from './service-tables.ts'

/** A document that is made from the code, in whole or in part. */
export interface GeneratedDoc {
  /** From the project's folder. */
  readonly file: string
  /** As it stands; '' when there is none. */
  readonly text: string
  /** As it should be. */
  readonly wanted: string
  /** What no writing mends, in sentences. */
  readonly faults: readonly string[]
}

type Parts = Readonly<Record<string, string>>

/** Reads every document of the project that has generated parts, and makes them anew. */
export async function generatedDocs(root: string): Promise<GeneratedDoc[]> {
  const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
  const whole = (file: string, data: unknown): GeneratedDoc => ({
    file,
    text: read(file),
    wanted: `${JSON.stringify(data, null, 2)}\n`,
    faults: [],
  })
  const places = placesTable([...detectors, FOUND])
  const findings = read('docs/findings.md')
  const { errors, settings, plans } = serviceTables(read('README.md'))
  const lists = closedLists()
  return [
    fillParts('README.md', read('README.md'), { places, example: await exampleResult(root), errors, settings, plans }),
    fillParts('docs/api.md', read('docs/api.md'), {
      'builder-categories': lists['builder-categories'],
      'site-types': lists['site-types'],
      'error-sentences': serviceTables(read('docs/api.md'))['error-sentences'],
      plans,
    }),
    fillParts('docs/rules.md', read('docs/rules.md'), { places, ...lists }),
    fillParts('docs/findings.md', findings, { findings: findingRows(FINDING_TABLE, findings) }),
    fillParts('docs/fetching.md', read('docs/fetching.md'), { causes: causesTable() }),
    whole('rules/schema.json', buildRuleSchema([...detectors, FOUND])),
    whole('rules/test-schema.json', testSchema),
  ]
}

/** Puts parts between `<!-- generated:name -->` and `<!-- /generated -->`; every part has its place, every place its part. */
export function fillParts(file: string, text: string, parts: Parts): GeneratedDoc {
  const missing = new Set(Object.keys(parts))
  const faults: string[] = []
  const wanted = text.replace(
    /(<!-- generated:([a-z-]+) -->\n).*?(<!-- \/generated -->)/gs,
    (all, open, name, close) => {
      missing.delete(name)
      if (name in parts) return `${open}${parts[name]}\n${close}`
      faults.push(`${file}: nothing generates "${name}"`)
      return all
    },
  )
  for (const name of missing) faults.push(`${file}: there is no <!-- generated:${name} --> … <!-- /generated -->`)
  for (const [, code] of wanted.matchAll(/^\|[^`\n]*`([\w-]+)`.*\| +\|$/gm))
    faults.push(`${file}: the last cell of ${code} is empty: write it by hand`)
  return { file, text, wanted, faults }
}

/** What is wrong with the documents, a sentence each. */
export function checkDocs(docs: readonly GeneratedDoc[]): string[] {
  const stale = docs.filter(({ text, wanted }) => text !== wanted)
  return [
    ...stale.map(({ file }) => `${file} is out of step with the code: npm run -s docs -- --write`),
    ...docs.flatMap(({ faults }) => faults),
  ]
}

function causesTable(): string {
  const rows = Object.entries(SCAN_CAUSES).map(
    ([cause, [code, sentence]]) => `| ${cause} | \`${code}\` | ${sentence} |`,
  )
  return ['| cause | code | sentence |', '|---|---|---|', ...rows].join('\n')
}

function placesTable(places: readonly Place[]): string {
  const rows = places.map(({ key, about, family, word, names = [] }) => {
    const words = names.length > 0 ? names.map((name) => `\`${name}\``).join(' ') : word
    return `| \`${key}\` | ${words} | ${about} | ${family} |`
  })
  return ['| place | word | finds | family |', '|---|---|---|---|', ...rows].join('\n')
}

/** The last cell of a row is written by hand and kept. */
function findingRows(table: typeof FINDING_TABLE, text: string): string {
  const mends = new Map(
    [...text.matchAll(/^\| `([a-z-]+)` \|.*\|([^|]*)\|$/gm)].map(([, code, mend]) => [code, mend.trim()]),
  )
  const rows = [...table].map(([code, [level, sentence]]) => {
    return `| \`${code}\` | ${level} | ${sentence.replaceAll('|', '\\|')} | ${mends.get(code) ?? ''} |`
  })
  return ['| code | level | sentence | how to mend it |', '|---|---|---|---|', ...rows].join('\n')
}

function closedLists() {
  const { categories, rules } = checkFolders({ folders: [ownFolder], detectors })
  const types = rules.filter(({ found }) => found.kind === 'site-type').map(({ found }) => found.slug)
  const line = (words: readonly string[]): string => `${words.map((word) => `\`${word}\``).join(', ')}.`
  return {
    'builder-categories': line(Object.keys(categories.builders)),
    'technology-categories': line(Object.keys(categories.technologies)),
    'site-types': line(types),
  }
}

/** What the example page gives, with its address and headers. */
async function exampleResult(root: string): Promise<string> {
  const folder = join(root, 'examples')
  const headers = JSON.parse(readFileSync(join(folder, 'headers.json'), 'utf8')) as Record<string, string>
  const page = buildPage({
    url: 'https://harbourline.example/',
    headers,
    html: readFileSync(join(folder, 'page.html')),
  })
  const result = toResult(detect(await loadRuleset(), page))
  const json = JSON.stringify(result, null, 2).replace(
    /\[\n([^\]]*)\n {2}\]/,
    (_, items: string) => `[${items.trim().replace(/\n\s*/g, ' ')}]`,
  )
  return `\`\`\`json\n${json}\n\`\`\``
}
