import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { load } from 'js-yaml'
import type { CheckedRule } from '../rules/checks/rule-checks.ts'
import { MOST_SEEN } from '../rules/discover.ts'
import { buildFinding, type Finding } from '../rules/findings.ts'

/** Reports builders, and technologies of the list of their folder, that do not say in a sentence what they are. */
export function checkAbout(rules: readonly CheckedRule[]): Finding[] {
  const lists = new Map<string, ReadonlySet<string> | null>()
  return rules.flatMap(({ found, file, source }) => {
    if (source === null || source.about !== undefined) return []
    if (found.kind !== 'builder' && found.kind !== 'technology') return []
    const root = dirname(found.kind === 'technology' ? dirname(dirname(found.file)) : dirname(found.file))
    if (!lists.has(root)) lists.set(root, readList(join(root, MOST_SEEN)))
    const list = lists.get(root)
    const isWanted = list !== null && (found.kind === 'builder' || list?.has(found.slug))
    return isWanted ? [buildFinding('no-about', file.valueAt(['name']))] : []
  })
}

function readList(file: string): ReadonlySet<string> | null {
  if (!existsSync(file)) return null
  const list = load(readFileSync(file, 'utf8'))
  return new Set(Array.isArray(list) ? list.map(String) : [])
}
