import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { buildPage, detect, toResult } from '../../src/index.ts'
import { ownFolder } from '../../src/rules/built.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { checkFolders } from '../../src/rules/load/load.ts'
import { buildRuleset } from '../../src/rules/load/open-ruleset.ts'
import { runFixture } from '../../src/rules/run-fixture.ts'
import { documentExample } from '../support/document-examples.ts'
import { writeFolder } from '../support/rule-folder.ts'

test('the rule of the README passes lint and its tests together with all rules of the project, and appears in a scan', () => {
  const folder = writeFolder({
    'builders/pagekiln.yaml': documentExample('rule'),
    'builders/pagekiln.test.yaml': documentExample('rule-test'),
  })
  const checked = checkFolders({ folders: [ownFolder, folder], detectors })
  const { rules, findings } = checked
  expect(findings.filter(({ file, level }) => level === 'error' || file.includes('pagekiln'))).toEqual([])
  const ruleset = buildRuleset(checked, detectors, '')
  const rule = rules.filter(({ found }) => found.slug === 'pagekiln')
  const { fixtures, findings: faults } = readFixtures(rule[0].found)
  expect([...faults, ...fixtures.flatMap((fixture) => runFixture(fixture, ruleset).findings)]).toEqual([])
  const result = toResult(detect(ruleset, buildPage({ html: documentExample('page') })), ['versions'])
  expect(result).toMatchObject({ builderSlug: 'pagekiln', confidence: 'high', versions: { Pagekiln: '2.5' } })
})
