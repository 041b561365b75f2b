import type { ContainerFormat, ContainerTag } from './container-types.ts'
import { MAX_TAGS } from './container-types.ts'
import { buildTag, findQuoted } from './plain-tags.ts'

// Containers that are programs: their tags are functions, which are searched for the words of rules.

const ENSIGHTEN_FILE = /\/([\w-]{1,80}\/[\w-]{1,80})\/Bootstrap\.js$/
const ENSIGHTEN_ADDRESS = /["'`]((?:https?:)?\\?\/\\?\/[\w.-]{1,253}[\w./\\-]{1,200}\/Bootstrap\.js)["'`]/g
const DEPLOYMENT = /\bBootstrapper\.bind([A-Z]\w{2,40})\(/g
/** Deployments of every page. The others wait for another one, or for data. */
const PAGE_DEPLOYMENT = /^(?:Immediate|DOMParsed|DOMLoaded|PageSpecific\w*)$/

/** Containers of Ensighten: each tag is a deployment, `Bootstrapper.bindImmediate(function(){…})`. */
export const ensighten: ContainerFormat = {
  findId: ({ hostname, pathname }) =>
    hostname.endsWith('ensighten.com') ? (ENSIGHTEN_FILE.exec(pathname)?.[1] ?? null) : null,
  findInSnippet: (script) => (script.includes('ensighten.com') ? findQuoted(script, ENSIGHTEN_ADDRESS) : []),
  isContainer: (head) => /\bensightenOptions\b/.test(head),
  read: ({ text, id }) => {
    const starts = [...text.matchAll(DEPLOYMENT)].slice(0, MAX_TAGS)
    const tags = starts.map(
      ({ 1: event, index }, i): ContainerTag =>
        buildTag({ code: text.slice(index, starts[i + 1]?.index), isConditional: !PAGE_DEPLOYMENT.test(event) }),
    )
    return { name: `Ensighten ${id}`.trim(), tags }
  },
}

/** `tc_Acme_12.js`. */
const COMMANDER_FILE = /\/tc_([\w-]{1,80}_\d{1,5})\.js$/
const COMMANDER_ADDRESS = /["'`]((?:https?:)?\\?\/\\?\/[\w.-]{1,253}[\w./\\-]{1,200}\/tc_[\w-]{1,80}_\d{1,5}\.js)["'`]/g
const COMMANDER_HEAD = /\btagContainer Generator v\d/

/** Containers of Commanders Act, formerly TagCommander. Each tag tests its own conditions, so none is sure to run. */
export const commander: ContainerFormat = {
  findId: ({ pathname }) => COMMANDER_FILE.exec(pathname)?.[1] ?? null,
  findInSnippet: (script) => (script.includes('/tc_') ? findQuoted(script, COMMANDER_ADDRESS) : []),
  isContainer: (head) => COMMANDER_HEAD.test(head),
  read: ({ text, id }) =>
    COMMANDER_HEAD.test(text)
      ? { name: `Commanders Act ${id}`.trim(), tags: [buildTag({ code: text, isConditional: true })] }
      : null,
}
