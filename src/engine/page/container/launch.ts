import type { ContainerFormat, ContainerTag } from './container-types.ts'
import { MAX_TAGS } from './container-types.ts'
import { buildTag, findQuoted } from './plain-tags.ts'

/** `launch-2f5b1ced511b.min.js`, `launch-EN0a1b-staging.js`. */
const FILE = /\/launch-([0-9a-zA-Z]{6,40})(?:-(?:development|staging))?(?:\.min)?\.js$/
const ADDRESS = /["'`]((?:https?:)?\\?\/\\?\/[\w.-]{1,253}[\w./\\-]{1,200}\/launch-[\w-]{6,60}(?:\.min)?\.js)["'`]/g
const START = /_satellite\.container\s*=\s*\{/
/** Rules follow the extensions. Their ids begin with RL. */
const RULES = /\brules["']?\s*:\s*\[\s*\{\s*["']?id["']?\s*:\s*["']RL/
/** A section of a rule, or what it runs: `modulePath:"adobe-analytics/src/lib/actions/sendBeacon.js"`. */
const PART =
  /["']?\b(events|conditions|actions)["']?\s*:\s*\[|["']?\bmodulePath["']?\s*:\s*["']([\w-]{1,80})\/([^"']{1,200})["']/g
/** Code of an extension that the container includes. */
const MODULE = /["']([\w-]{1,80})\/(?:src|dist|lib)\/[^"']{1,200}["']\s?:\s?\{/g
/** Events of the extension Core that happen on every page. */
const PAGE_EVENT = /\/(?:libraryLoaded|pageBottom|domReady|windowLoaded)(?:\.js)?$/
/** The extension of the manager itself. */
const CORE = 'core'

/** Containers of Adobe Experience Platform Tags, formerly Launch. */
export const launch: ContainerFormat = {
  findId: ({ pathname }) => FILE.exec(pathname)?.[1] ?? null,
  findInSnippet: (script) => (script.includes('/launch-') ? findQuoted(script, ADDRESS) : []),
  isContainer: (head) => START.test(head),
  read: ({ text, id }) => {
    if (!START.test(text)) return null
    const rules = RULES.exec(text)?.index ?? text.length
    const actions = readActions(text, rules)
    const inRules = new Set(actions.flatMap(({ kinds }) => kinds))
    const modules = new Set(Array.from(text.slice(0, rules).matchAll(MODULE), ([, extension]) => `launch:${extension}`))
    const installed = [...modules].filter((kind) => kind !== `launch:${CORE}` && !inRules.has(kind))
    return {
      name: `Adobe Experience Platform Tags ${id}`.trim(),
      tags: [...installed.map((kind) => buildTag({ kinds: [kind] })), ...actions],
    }
  },
}

/** Reads the actions of all rules. Custom code extends to the next part of a rule. */
function readActions(text: string, from: number): ContainerTag[] {
  const tags: ContainerTag[] = []
  let section = ''
  let isConditional = false
  const parts = [...text.slice(from).matchAll(PART)]
  for (const [i, { 1: opened, 2: extension, 3: path, index }] of parts.entries()) {
    if (tags.length >= MAX_TAGS) break
    if (opened !== undefined) {
      section = opened
      if (opened === 'events') isConditional = false
    } else if (section === 'events') isConditional ||= !PAGE_EVENT.test(path)
    else if (section === 'conditions') isConditional = true
    else if (section === 'actions') {
      const isCode = extension === CORE
      const code = isCode ? text.slice(from + index, from + (parts[i + 1]?.index ?? text.length - from)) : ''
      tags.push(buildTag({ kinds: isCode ? [] : [`launch:${extension}`], code, isConditional }))
    }
  }
  return tags
}
