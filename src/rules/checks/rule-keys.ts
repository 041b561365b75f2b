import type { RuleKind } from '../../engine/rule/types.ts'

/** Key of a rule → the kinds of rules that may have it. An empty list stands for all kinds. */
export const RULE_KEYS: Readonly<Record<string, readonly string[]>> = {
  name: [],
  website: [],
  description: [],
  about: ['builder', 'technology', 'hosting'],
  detect: [],
  source: [],
  verified: [],
  imported: ['technology'],
  category: ['builder'],
  aiNative: ['builder'],
  hosting: ['builder'],
  role: ['hosting'],
  state: ['response', 'site-type'],
  by: ['response'],
  byName: ['response'],
  ofSite: ['response'],
  implies: ['builder', 'technology', 'hosting'],
  usual: ['builder', 'technology', 'hosting'],
  requires: ['builder', 'technology', 'hosting'],
  excludes: ['builder', 'technology', 'hosting'],
  prior: ['site-type'],
  fitted: ['site-type'],
  thin: ['site-type'],
  unnamed: ['site-type'],
}

/** Where the facts of a rule come from. Every rule needs them, except an imported one. */
const EVIDENCE = ['source', 'verified']

/** Keys that a kind of rule needs in addition to those that the schema requires of all rules. An imported rule needs none of them. */
export const REQUIRED_KEYS: Readonly<Record<RuleKind, readonly string[]>> = {
  builder: ['category', 'aiNative', 'website', ...EVIDENCE],
  technology: ['website', ...EVIDENCE],
  hosting: ['website', ...EVIDENCE],
  response: ['state', ...EVIDENCE],
  'site-type': EVIDENCE,
}

/** Whether a key is only allowed in other kinds of rules. */
export function isMisplaced(key: string, kind: RuleKind): boolean {
  const kinds = Object.hasOwn(RULE_KEYS, key) ? RULE_KEYS[key] : []
  return kinds.length > 0 && !kinds.includes(kind)
}
