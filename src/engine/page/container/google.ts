import type { Container, ContainerFormat, ContainerSource, ContainerTag, TagUrl } from './container-types.ts'
import { MAX_TAG_CHARACTERS, MAX_TAGS } from './container-types.ts'
import { GoogleTriggers } from './google-triggers.ts'
import { type GoogleMacro, readTemplate } from './google-values.ts'
import { parseItems, parseJson, readItems, readMembers, type Span } from './json-text.ts'

const GOOGLE_HOST = 'www.googletagmanager.com'
const CONTAINER_ID = /^GTM-[A-Z0-9]{4,12}$/
/** Ids of a Google tag: of Analytics, Ads, Floodlight, Merchant Center, and tags for several of them. */
const TAG_ID = /^(?:G|UA|AW|DC|MC|GT)-[A-Z0-9-]{4,20}$/
const ID_PREFIX = /^(?:G|UA|AW|DC|MC|GT)(?=-)/
/** An id in an inline script, also one that is quoted within a string. */
const QUOTED_ID = /["'`](GTM-[A-Z0-9]{4,12})\\?["'`]/g
/** The address of a container in an inline script, to which the script appends the id. */
const SNIPPET_ADDRESS = /["'`]((?:https?:)?\/\/[\w.-]{1,253}\/[\w./-]{0,200}\.js)\?id=(?!G-|UA-|AW-|GT-)/
/** The authorization of a preview or another environment that the snippet appends. */
const ENVIRONMENT = /gtm_auth=[\w-]{1,64}&(?:amp;)?gtm_preview=[\w-]{1,64}/
/** An id that documentation uses as an example. */
const PLACEHOLDER = /^GTM-X+$/
const OWN_ID = /\bGTM-[A-Z0-9]{4,12}\b/
const RESOURCE = /\{\s*"resource"\s*:\s*\{/

/** The members of a tag that contain the id of the product that it serves. */
const ID_MEMBERS = ['vtp_tagId', 'vtp_measurementId', 'vtp_measurementIdOverride', 'vtp_trackingId', 'vtp_containerId']
/** What a custom template may do, and what its addresses are then. */
const PERMISSIONS = [
  ['inject_script', 'script'],
  ['send_pixel', 'asset'],
  ['inject_hidden_iframe', 'frame'],
] as const

/** Containers of Google Tag Manager. Their format is documented by nothing but themselves. */
export const tagManager: ContainerFormat = {
  findId: (url) => {
    const id = url.searchParams.get('id') ?? ''
    return url.pathname.endsWith('.js') && CONTAINER_ID.test(id) ? id : null
  },
  findInSnippet: (script) => {
    if (!script.includes('GTM-') || !/gtm\.(?:js|start)/.test(script)) return []
    const address = SNIPPET_ADDRESS.exec(script)?.[1] ?? `https://${GOOGLE_HOST}/gtm.js`
    const environment = ENVIRONMENT.exec(script)?.[0].replace('amp;', '')
    const ids = new Set(Array.from(script.matchAll(QUOTED_ID), ([, id]) => id))
    const tail = environment === undefined ? '' : `&${environment}`
    return [...ids].filter((id) => !PLACEHOLDER.test(id)).map((id) => `${address}?id=${id}${tail}`)
  },
  isContainer: (head) => RESOURCE.test(head),
  read: (source) => readGoogle(source, 'Google Tag Manager'),
}

/** The file of a Google tag, which lists the products that it serves. */
export const googleTag: ContainerFormat = {
  findId: ({ hostname, pathname, searchParams }) => {
    const id = searchParams.get('id') ?? ''
    return (hostname === GOOGLE_HOST || pathname === '/gtag/js') && TAG_ID.test(id) ? id : null
  },
  findInSnippet: () => [],
  isContainer: () => false,
  read: (source) => readGoogle(source, 'Google tag'),
}

type GoogleTag = Readonly<Record<string, unknown>>
type Members = ReadonlyMap<string, Span>

function readGoogle({ text, id, address }: ContainerSource, manager: string): Container | null {
  const found = RESOURCE.exec(text)
  if (found === null) return null
  const outer = readMembers(text, found.index)
  const resource = readMembers(text, found.index + found[0].length - 1)
  const parse = (key: string): unknown[] => parseItems(text, resource.get(key), MAX_TAGS)
  const macros = parse('macros').map(asRecord)
  const list = parse('tags').map(asRecord)
  const [predicates, rules] = [parse('predicates'), parse('rules')]
  const triggers = new GoogleTriggers({ macros, predicates, rules, tags: list, address })
  const used = list.flatMap((tag, i) => {
    const use = tag.function === '__paused' ? 'never' : triggers.find(i)
    return use === 'never' ? [] : [{ tag, isConditional: use === 'maybe' || tag.consent !== undefined }]
  })
  const templates = readTemplates(text, outer, new Set(used.map(({ tag }) => tag.function)))
  const tags: ContainerTag[] = []
  let room = MAX_TAG_CHARACTERS
  for (const { tag, isConditional } of used) {
    // A template can insert a constant any number of times.
    const read = readTag(tag, { macros, templates, isFull: room < 0 })
    room -= read.html.length + read.code.length
    tags.push({ ...read, isConditional })
  }
  return { name: `${manager} ${id === '' ? findOwnId(text, outer) : id}`.trim(), tags }
}

/** The library of a container, after its data, names the container itself. The data may name others. */
function findOwnId(text: string, outer: Members): string {
  const end = Math.max(0, ...Array.from(outer.values(), ({ to }) => to))
  const { from, to } = outer.get('blob') ?? { from: 0, to: 0 }
  return (OWN_ID.exec(text.slice(from, to)) ?? OWN_ID.exec(text.slice(end)))?.[0] ?? ''
}

interface TagContext {
  readonly macros: readonly GoogleMacro[]
  readonly templates: ReadonlyMap<string, Pick<ContainerTag, 'code' | 'urls'>>
  /** Whether no more HTML is read. */
  readonly isFull: boolean
}

function readTag(tag: GoogleTag, { macros, templates, isFull }: TagContext): Omit<ContainerTag, 'isConditional'> {
  const name = typeof tag.function === 'string' ? tag.function : ''
  const read = (member: string): string => readTemplate(tag[member], macros)
  const ids = [...ID_MEMBERS.map(read), ...readChildIds(tag)]
  const prefixes = new Set(ids.flatMap((id) => ID_PREFIX.exec(id)?.[0] ?? []))
  const template = templates.get(name)
  const image = name === '__img' ? read('vtp_url') : ''
  const urls: TagUrl[] = image === '' ? [] : [{ kind: 'asset', url: image }]
  return {
    kinds: [name, ...Array.from(prefixes, (prefix) => `google-tag:${prefix}`)],
    html: name === '__html' && !isFull ? read('vtp_html') : '',
    code: template?.code ?? '',
    urls: [...urls, ...(template?.urls ?? [])],
  }
}

/** The ids of other tags that a tag loads: `["list",["map","publicId","G-0A1B2C"]]`. */
function readChildIds(tag: GoogleTag): string[] {
  const children = tag.vtp_childContainers
  if (!Array.isArray(children)) return []
  return children.slice(0, 100).flatMap((child) => (Array.isArray(child) ? child.filter(isText) : []))
}

/** The name of the template at the beginning of its code: `[50,"__cvt_1_2",…`. */
const TEMPLATE_NAME = /^\[\s*\d+\s*,\s*"(__cvt_\w{1,60})"/

/**
 * Reads the code of the custom templates that tags use, and the addresses that they may request, by the name of the template. Templates that
 * no tag uses name nothing.
 */
function readTemplates(text: string, outer: Members, used: ReadonlySet<unknown>): TagContext['templates'] {
  const templates = new Map<string, Pick<ContainerTag, 'code' | 'urls'>>()
  const permissions = outer.get('permissions')
  const allowed: Members = permissions === undefined ? new Map() : readMembers(text, permissions.from)
  for (const { from, to } of readItems(text, outer.get('runtime')?.from ?? -1, MAX_TAGS)) {
    const name = TEMPLATE_NAME.exec(text.slice(from, from + 100))?.[1] ?? ''
    if (!used.has(name) || templates.has(name)) continue
    const span = allowed.get(name)
    const of = span === undefined ? {} : asRecord(parseJson(text.slice(span.from, span.to)))
    templates.set(name, {
      code: collectTexts(parseJson(text.slice(from, to))).join('\n'),
      urls: readPermissions(of),
    })
  }
  return templates
}

function readPermissions(of: GoogleTag): TagUrl[] {
  return PERMISSIONS.flatMap(([permission, kind]) => {
    const { urls } = asRecord(of[permission])
    return Array.isArray(urls) ? urls.filter(isText).map((url) => ({ kind, url })) : []
  })
}

/** Collects the strings in nested lists, in order and without recursion, because a hostile container nests them without end. */
function collectTexts(item: unknown): string[] {
  const texts: string[] = []
  const open: unknown[] = [item]
  while (open.length > 0) {
    const value = open.pop()
    if (isText(value)) texts.push(value)
    else if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i--) open.push(value[i])
  }
  return texts
}

function asRecord(value: unknown): GoogleTag {
  return typeof value === 'object' && value !== null ? (value as GoogleTag) : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
