import type { ContainerFormat, ContainerTag } from './container-types.ts'
import { MAX_TAGS } from './container-types.ts'
import { parseItems, readMembers } from './json-text.ts'
import { buildTag } from './plain-tags.ts'

/** `/analytics.js/v1/KEY/analytics.min.js`, and the file with the settings of the same key. */
const SEGMENT_FILE =
  /^\/(?:analytics\.js\/v1\/([A-Za-z0-9]{8,64})\/(?:platform\/)?analytics(?:\.min)?\.js|v1\/projects\/([A-Za-z0-9]{8,64})\/settings)$/
const SEGMENT_HOST = 'cdn.segment.com'
const SEGMENT_KEY = /\.load\(\s*["'`]([A-Za-z0-9]{8,64})["'`]/
const SETTINGS = /^\s*\{\s*"integrations"\s*:\s*\{/
/** The settings in the file of older sources: `analytics.initialize({"Amplitude":{…`. */
const INITIALIZE = /\.initialize\(\s*\{/
/** The integration that sends data to the service itself. */
const OWN_INTEGRATION = /^segment\.io$/i
/** Where an integration runs: `"componentTypes":["browser","server"]`. */
const COMPONENTS = /"componentTypes"\s*:\s*\[([^\]]{0,200})\]/

/** Sources of Segment: their settings list the products to which a browser sends data. */
export const segment: ContainerFormat = {
  findId: ({ pathname }) => {
    const found = SEGMENT_FILE.exec(pathname)
    return found === null ? null : (found[1] ?? found[2])
  },
  findInSnippet: (script) => {
    const key = script.includes('/analytics.js/v1/') ? SEGMENT_KEY.exec(script)?.[1] : undefined
    return key === undefined ? [] : [`https://${SEGMENT_HOST}/analytics.js/v1/${key}/analytics.min.js`]
  },
  findList: (url) => {
    const key = SEGMENT_FILE.exec(url.pathname)?.[1]
    return key === undefined ? null : `${url.origin}/v1/projects/${key}/settings`
  },
  isContainer: (head) => SETTINGS.test(head),
  read: ({ text, id }) => {
    const settings = SETTINGS.exec(text)
    const found = settings ?? INITIALIZE.exec(text)
    if (found === null) return null
    const integrations = readMembers(text, found.index + found[0].length - 1)
    const tags: ContainerTag[] = []
    for (const [name, { from, to }] of integrations) {
      const components = COMPONENTS.exec(text.slice(from, to))?.[1]
      const isRemote = components !== undefined && !components.includes('browser')
      if (isRemote || OWN_INTEGRATION.test(name) || tags.length >= MAX_TAGS) continue
      tags.push(buildTag({ kinds: [`segment:${name}`] }))
    }
    return { name: `Segment ${id}`.trim(), tags }
  },
}

const PARTICLE_FILE = /^\/js\/v[23]\/([\w-]{8,80})\/mparticle\.js$/
const PARTICLE_KEY = /\/\/([\w.-]{1,100})\/js\/v2\/["'`]\s*\+/
const KITS = /"kitConfigs"\s*:\s*(?=\[)/

/** Sources of mParticle: their file lists the kits of other products. */
export const particle: ContainerFormat = {
  findId: ({ pathname }) => PARTICLE_FILE.exec(pathname)?.[1] ?? null,
  findInSnippet: (script) => {
    const host = PARTICLE_KEY.exec(script)?.[1]
    const key = /["'`]([a-z]{2}\d-[0-9a-f]{16,64})["'`]/.exec(script)?.[1]
    return host === undefined || key === undefined ? [] : [`https://${host}/js/v2/${key}/mparticle.js`]
  },
  isContainer: () => false,
  read: ({ text, id }) => {
    const found = KITS.exec(text)
    if (found === null) return null
    const open = found.index + found[0].length
    const kits = parseItems(text, { from: open, to: open }, MAX_TAGS)
    const names = kits.map((kit) => (kit as { readonly name?: unknown } | null | undefined)?.name)
    const tags = names.flatMap((name) => (typeof name === 'string' ? buildTag({ kinds: [`mparticle:${name}`] }) : []))
    return { name: `mParticle ${id}`.trim(), tags }
  },
}
