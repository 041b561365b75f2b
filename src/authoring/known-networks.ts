import { toList } from '../engine/rule/clause.ts'
import type { ClauseSource } from '../engine/rule/types.ts'
import { isRange } from '../engine/text/ip-ranges.ts'
import { openOwnNetworks } from '../networks/open-networks.ts'
import type { CheckedRule } from '../rules/checks/rule-checks.ts'
import { buildFinding, type Finding } from '../rules/findings.ts'
import { GROUPS } from '../rules/schema.ts'
import type { Path } from '../yaml/source-file.ts'

/** Reports networks of clauses that the own table does not have, and texts that are no range: no address would be found in them. */
export function checkNetworks({ source, file }: Pick<CheckedRule, 'source' | 'file'>): Finding[] {
  return (source?.detect ?? []).flatMap((clause, i) =>
    listNetworks(clause, ['detect', i]).flatMap(({ word, path }) => {
      const code = findFault(word)
      return code === null ? [] : [buildFinding(code, file.valueAt(path), { value: word })]
    }),
  )
}

function findFault(word: string): 'wrong-range' | 'unknown-network' | null {
  if (word.includes('/')) return isRange(word) ? null : 'wrong-range'
  return openOwnNetworks().has(Number(word)) ? null : 'unknown-network'
}

function listNetworks(clause: ClauseSource, path: Path): { readonly word: string; readonly path: Path }[] {
  const own = toList<string>(clause.network).map((word, i) => ({
    word,
    path: Array.isArray(clause.network) ? [...path, 'network', i] : [...path, 'network'],
  }))
  const inner = GROUPS.flatMap((key) =>
    toList<ClauseSource>(clause[key]).flatMap((one, i) =>
      listNetworks(one, Array.isArray(clause[key]) ? [...path, key, i] : [...path, key]),
    ),
  )
  return [...own, ...inner]
}
