import type { ContainerFormat, ContainerTag } from './container-types.ts'
import { MAX_TAGS } from './container-types.ts'
import { findStringEnd, parseItems, parseJson, readMembers } from './json-text.ts'
import { buildTag, findQuoted } from './plain-tags.ts'

const FILE = /\/container_([A-Za-z0-9]{8})(?:_[\w-]{1,40})?\.js$/
const ADDRESS =
  /["'`]((?:https?:)?\\?\/\\?\/[\w.-]{1,253}[\w./\\-]{0,200}\/container_[A-Za-z0-9]{8}(?:_[\w-]{1,40})?\.js)["'`]/g
const HEAD = /Matomo Tag Manager|MatomoTagManager/
const START = 'MatomoTagManager.addContainer('
/** Triggers of every page. */
const PAGE_TRIGGERS: ReadonlySet<unknown> = new Set(['PageView', 'DomReady', 'WindowLoaded'])

type MatomoData = Readonly<Record<string, unknown>>

/** Containers of Matomo Tag Manager. */
export const matomo: ContainerFormat = {
  findId: ({ pathname }) => FILE.exec(pathname)?.[1] ?? null,
  findInSnippet: (script) => (script.includes('container_') ? findQuoted(script, ADDRESS) : []),
  isContainer: (head) => HEAD.test(head),
  read: ({ text, id }) => {
    const at = text.lastIndexOf(START)
    if (at < 0) return null
    const members = readMembers(text, at + START.length)
    const triggers = parseItems(text, members.get('triggers'), MAX_TAGS).map(asData)
    const always = new Set(triggers.filter(isOfEveryPage).map((trigger) => trigger.id))
    const tags = parseItems(text, members.get('tags'), MAX_TAGS).map((tag) => readTag(asData(tag), always))
    return { name: `Matomo Tag Manager ${id}`.trim(), tags }
  },
}

function isOfEveryPage({ type, conditions }: MatomoData): boolean {
  return PAGE_TRIGGERS.has(type) && asList(conditions).length === 0
}

function readTag(
  { type, parameters, fireTriggerIds, blockTriggerIds }: MatomoData,
  always: ReadonlySet<unknown>,
): ContainerTag {
  const { customHtml, customImageSrc } = asData(parameters)
  return buildTag({
    kinds: typeof type === 'string' ? [`matomo:${type}`] : [],
    html: typeof customHtml === 'string' ? customHtml : '',
    urls: typeof customImageSrc === 'string' ? [{ kind: 'asset', url: customImageSrc }] : [],
    isConditional: asList(blockTriggerIds).length > 0 || !asList(fireTriggerIds).some((trigger) => always.has(trigger)),
  })
}

function asData(value: unknown): MatomoData {
  return typeof value === 'object' && value !== null ? (value as MatomoData) : {}
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

const PRO_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const PRO_FILE = /\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.js$/
const PRO_HOST = /["'`](?:https?:)?\/\/([\w.-]{1,200}\.piwik\.pro|[\w.-]{1,200}\/containers)\/["'`]/
/** A member of a tag that contains HTML or code. */
const PRO_CODE = /"(?:code|html|template|content)"\s*:\s*(?=")/g

/** Containers of Piwik PRO. */
export const piwikPro: ContainerFormat = {
  findId: ({ hostname, pathname }) =>
    /\bpiwik\.pro$/.test(hostname) || pathname.startsWith('/containers/')
      ? (PRO_FILE.exec(pathname)?.[1] ?? null)
      : null,
  findInSnippet: (script) => {
    const host = PRO_HOST.exec(script)?.[1]
    const id = host === undefined ? undefined : PRO_ID.exec(script)?.[0]
    return id === undefined ? [] : [`https://${host}/${id}.js`]
  },
  isContainer: () => false,
  read: ({ text, id }) => {
    const tags: ContainerTag[] = []
    for (const { 0: written, index } of text.matchAll(PRO_CODE)) {
      const from = index + written.length
      const to = findStringEnd(text, from)
      if (to < 0 || tags.length >= MAX_TAGS) break
      const html = parseJson(text.slice(from, to))
      if (typeof html === 'string' && html !== '') tags.push(buildTag({ html, isConditional: true }))
    }
    return { name: `Piwik PRO ${id}`.trim(), tags }
  },
}
