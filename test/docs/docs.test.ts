import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { buildPage, detect, loadRuleset, toResult } from '../../src/index.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { readFixtures, runFixture } from '../../src/rules/fixtures.ts'
import { checkFolders } from '../../src/rules/load.ts'
import { ownFolder } from '../../src/rules/open-ruleset.ts'
import { checkDocs, fillParts, type GeneratedDoc, generateDocs } from '../../tools/generated-docs.ts'
import { readmeExample } from '../support/readme-examples.ts'
import { writeFolder } from '../support/rule-folder.ts'

const root = projectFolder()
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const documents = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)]

test('documents are up to date with the code', async () => {
  expect(checkDocs(await generateDocs(root))).toEqual([])
})

const doc = (text: string): GeneratedDoc => fillParts('a.md', text, { one: 'new' })
test.each<[name: string, text: string, problems: RegExp[]]>([
  ['up to date', '<!-- generated:one -->\nnew\n<!-- /generated -->', []],
  ['stale', '<!-- generated:one -->\nold\n<!-- /generated -->', [/^a\.md is out of date/]],
  ['no place for a part', 'new', [/the markers <!-- generated:one --> .* are missing/]],
  [
    'a place without a part',
    '<!-- generated:one -->\nnew\n<!-- /generated -->\n<!-- generated:two -->\n<!-- /generated -->',
    [/there is no generated part "two"/],
  ],
  [
    'a row with an empty last cell',
    '<!-- generated:one -->\nnew\n<!-- /generated -->\n| `bad-x` | error | x |  |',
    [/last cell of bad-x/],
  ],
])('a document: %s', (_, text, problems) => {
  const found = checkDocs([doc(text)])
  expect(found).toHaveLength(problems.length)
  for (const [i, problem] of problems.entries()) expect(found[i]).toMatch(problem)
})

test.each<[what: string, file: string, words: string]>([
  ['the service', 'README.md', '\nnpm ci && npm start\n'],
  ['the tests', 'README.md', '\nnpm ci && npm test\n'],
  ['the tests', '.ci/run', "'npm ci && npm test'"],
])('the command that sets up and runs %s stands in %s', (_, file, words) => {
  expect(read(file)).toContain(words)
})

/** Anchors as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

test.each(documents)('every link of %s leads somewhere', (file) => {
  const links = [...read(file).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
  const dead = links.filter(([, path, anchor]) => {
    const target = path === '' ? file : join(dirname(file), path)
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(read(target)).includes(anchor))
  })
  expect(dead.map(([link]) => link)).toEqual([])
})

test('the rule that the README walks through lints, passes its proof and shows in a scan', async () => {
  const folder = writeFolder({
    'builders/pagekiln.yaml': readmeExample('rule'),
    'builders/pagekiln.test.yaml': readmeExample('rule-test'),
  })
  const { rules, findings } = checkFolders({ folders: [ownFolder, folder], detectors })
  expect(findings).toEqual([])
  const ruleset = await loadRuleset({ folders: [folder] })
  const rule = rules.filter(({ found }) => found.slug === 'pagekiln')
  const { fixtures, findings: faults } = readFixtures(rule[0].found)
  expect([...faults, ...fixtures.flatMap((fixture) => runFixture(fixture, ruleset))]).toEqual([])
  const result = toResult(detect(ruleset, buildPage({ html: readmeExample('page') })), ['versions'])
  expect(result).toMatchObject({ builderSlug: 'pagekiln', confidence: 'high', versions: { Pagekiln: '2.5' } })
})
