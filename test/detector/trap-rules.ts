import { join } from 'node:path'
import { loadDetectors } from '../../plugins/load.ts'
import { FOUND } from '../../src/engine/rule/clause.ts'
import { findRuleset, writeBuilt } from '../../src/rules/built.ts'
import { compileRules } from '../../src/rules/load/open-ruleset.ts'
import { CLAUSE_KEYS } from '../../src/rules/schema.ts'
import { type BuiltProject, copyProject, smallProject } from '../support/built-project.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'
import { builtWorker } from './built-worker.ts'

/** A detector that harms its worker when the text of a page contains certain words. */
const DETECTOR = `
const pages = []
const eat = {
  'eat arrays': () => { for (;;) pages.push(new Array(1000).fill(pages.length)) },
  'eat texts': () => { for (let i = 0; ; i++) pages.push(String(i).repeat(1000).split('').join('x')) },
  'eat maps': () => { const all = new Map(); for (let i = 0; ; i++) all.set(i, { i }) },
}
const traps = {
  'loop for ever': () => { for (;;); },
  'backtrack for ever': () => /^(a+)+$/.test('a'.repeat(60) + 'b'),
  'leave': () => process.exit(7),
  ...eat,
}
export default {
  key: 'trap',
  about: 'Text that harms the worker.',
  family: 'content',
  word: 'literal',
  read(page) {
    for (const [word, spring] of Object.entries(traps)) if (page.text.includes(word)) spring()
    return page.text === '' ? [] : [{ text: page.text }]
  },
}
`

/**
 * Options of a pool with this detector, and with a rule that reads a header.
 * @param loadMs milliseconds that loading the detector takes at least
 */
export function trapRules(loadMs = 0): { readonly folders: string[]; readonly detectors: string[] } {
  const root = writeFolder({
    'trap.mjs': `await new Promise((resolve) => setTimeout(resolve, ${loadMs}))\n${DETECTOR}`,
    'rules/technologies/javascript-library/header.yaml': technology()
      .replace('url: acme.com', '{ header: server, is: brick }')
      .replace('Acme', 'Brick'),
    'rules/technologies/javascript-library/header.test.yaml': TEST,
    'rules/technologies/javascript-library/trap.yaml': technology('trap: harmless'),
    'rules/technologies/javascript-library/trap.test.yaml': TEST,
  })
  return { folders: [`${root}/rules`], detectors: [`${root}/trap.mjs`] }
}

/**
 * Returns a copy of the small project whose built file contains the trap rules, as that of the service contains its own rules.
 * Compiling them from YAML takes most of the start of a worker, and tests of pools start dozens.
 */
export async function trapProject(): Promise<BuiltProject> {
  const project = copyProject(smallProject())
  const { folders, detectors: modules } = trapRules()
  const detectors = await loadDetectors(modules, [...CLAUSE_KEYS, FOUND.key])
  const parts = { own: join(project.folder, 'rules'), folders, detectors, built: 'there-is-none.json' }
  writeBuilt(join(project.folder, 'dist', 'ruleset.bin'), compileRules(parts, findRuleset(parts)))
  return project
}

/** Returns a compiled worker file for pools with the trap rules. */
export async function trapWorker(): Promise<string> {
  return builtWorker(await trapProject())
}
