import { appendFileSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { detectors } from '../../../plugins/index.ts'
import { lintRules } from '../../../src/authoring/lint.ts'
import type { Finding } from '../../../src/rules/findings.ts'
import { FileMemory } from '../../../src/rules/load/file-memory.ts'
import { checkFolders } from '../../../src/rules/load/load.ts'
import { newFolder } from '../../store/open-stores.ts'
import { CATEGORIES, writeFolder } from '../../support/rule-folder.ts'

const RULE = (word: string): string =>
  `name: Acme ${word}\nwebsite: https://acme-${word}.net\ncategory: cms\naiNative: false\ndetect:\n  - element: .${word}-root\nsource: https://acme-${word}.net/docs\nverified: 2026-01-01\n`
const PAGES = (word: string): string =>
  `hits:\n  - { page: { html: '<p class="${word}-root">' }, confidence: high }\nmisses:\n  - { page: { html: '<p>${word}-root' } }\n`

interface Scene {
  readonly root: string
  readonly cache: string
}

function createScene(): Scene {
  const files = ['tidemark', 'kestrelle'].flatMap((word) => [
    [`builders/${word}.yaml`, RULE(word)],
    [`builders/${word}.test.yaml`, PAGES(word)],
  ])
  return { root: writeFolder({ 'categories.yaml': CATEGORIES, ...Object.fromEntries(files) }), cache: newFolder() }
}

interface Run {
  readonly findings: readonly Finding[]
  /** What was computed: names of values with the file of the rule, and `whole`. */
  readonly computed: string[]
}

function run({ root, cache }: Scene, code = 'one'): Run {
  const computed: string[] = []
  const memory = new FileMemory({ folder: cache, folders: [root], code })
  const recall: FileMemory['recall'] = memory.recall.bind(memory)
  memory.recall = (rule, name, compute) =>
    recall(rule, name, () => {
      computed.push(`${name} ${rule.slug}`)
      return compute()
    })
  const findings = memory.recallWhole('lint', ['today'], () => {
    computed.push('whole')
    return lintRules(checkFolders({ folders: [root], detectors, memory }), memory)
  })
  memory.save()
  return { findings, computed }
}

const ALL = ['whole', 'rule kestrelle', 'rule tidemark', 'test kestrelle', 'test tidemark']
const ONE = ['whole', 'rule tidemark', 'test tidemark']
const rule = (root: string): string => join(root, 'builders/tidemark.yaml')
const pages = (root: string): string => join(root, 'builders/tidemark.test.yaml')

test.each<[change: string, change: (scene: Scene) => unknown, computed: string[], codes?: string[]]>([
  ['nothing', () => {}, []],
  ['a rule', ({ root }) => appendFileSync(rule(root), 'colour: red\n'), ONE, ['unknown-key']],
  [
    'a rule, which keeps its size',
    ({ root }) => writeFileSync(rule(root), RULE('tidemark').replace('cms', 'cmz')),
    ONE,
    ['bad-category'],
  ],
  ['a test', ({ root }) => appendFileSync(pages(root), 'colour: red\n'), ONE, ['unknown-key']],
  ['a test that is gone', ({ root }) => rmSync(pages(root)), ONE, ['missing-test']],
  [
    'a name',
    ({ root }) => renameSync(rule(root), join(root, 'builders/other.yaml')),
    ['whole', 'rule other', 'test other'],
    ['missing-test', 'stray-file'],
  ],
  ['a stray file', ({ root }) => writeFileSync(join(root, 'x.txt'), ''), ['whole'], ['stray-file']],
  [
    'the list of what is seen most',
    ({ root }) => writeFileSync(join(root, 'most-seen.yaml'), '[]'),
    ['whole'],
    ['no-about', 'no-about'],
  ],
  ['the categories', ({ root }) => writeFileSync(join(root, 'categories.yaml'), `${CATEGORIES}# Read.\n`), ALL],
  ['the cache: gone', ({ cache }) => rmSync(cache, { recursive: true }), ALL],
  ['the cache: cut', ({ cache }) => cut(cache), ALL],
])('after a change of %s, only what depends on it is computed', (_, change, computed, codes = []) => {
  const scene = createScene()
  expect(run(scene)).toEqual({ findings: [], computed: ALL })
  change(scene)
  const second = run(scene)
  expect(second.computed.sort()).toEqual([...computed].sort())
  expect(second.findings).toEqual(lintRules(checkFolders({ folders: [scene.root], detectors })))
  expect(second.findings.map(({ code }) => code).sort()).toEqual(codes)
  expect(run(scene)).toEqual({ findings: second.findings, computed: [] })
})

function cut(folder: string): void {
  for (const name of readdirSync(folder)) truncateSync(join(folder, name), 50)
}

test('what other code has computed is not used', () => {
  const scene = createScene()
  run(scene)
  expect(run(scene, 'two').computed).toEqual(ALL)
})

test('without a cache that can be written, everything is computed each time', () => {
  const scene = createScene()
  const blocked = { ...scene, cache: join(scene.root, 'categories.yaml', 'below-a-file') }
  expect(run(blocked).computed).toEqual(ALL)
  expect(run(blocked).computed).toEqual(ALL)
})

test('a word becomes generic with the page of one more rule, and stops being so without it', () => {
  const words = ['tidemark', 'kestrelle', 'lanternfold', 'marlspike', 'quillmark', 'bellwether']
  const files = words.flatMap((word, i) => [
    [`builders/${word}.yaml`, RULE(i === 0 ? word : `${word}-x`)],
    [`builders/${word}.test.yaml`, PAGES(`${i === 1 || i === 0 ? '' : 'tidemark-root '}${word}-x`)],
  ])
  const scene = {
    root: writeFolder({ 'categories.yaml': CATEGORIES, ...Object.fromEntries(files) }),
    cache: newFolder(),
  }
  const other = join(scene.root, 'builders/kestrelle.test.yaml')
  const without = PAGES('kestrelle-x')
  const generic = [without, PAGES('tidemark-root kestrelle-x'), without, PAGES('TideMark-Root kestrelle-x')].map(
    (text) => {
      writeFileSync(other, text)
      const { findings } = run(scene)
      expect(findings).toEqual(lintRules(checkFolders({ folders: [scene.root], detectors })))
      return findings.filter(({ code }) => code === 'generic-word').length
    },
  )
  expect(generic).toEqual([0, 1, 0, 1])
})
