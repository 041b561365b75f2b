import type { ExampleScript } from '../../src/engine/rule/place.ts'

/** Writes a container in the format of the manager whose kinds begin with a prefix. */
interface Writer {
  readonly prefix: string
  readonly url: string
  /** Kinds of tags that run on every page, without their prefix, and one that the container has but does not run. */
  readonly write: (kinds: readonly string[], idle: string | undefined) => string
}

const WRITERS: readonly Writer[] = [
  {
    prefix: 'launch:',
    url: 'https://assets.adobedtm.com/0a1b2c3d4e5f/6a7b8c9d0e1f/launch-0a1b2c3d4e5f.min.js',
    write: (kinds, idle) => {
      const rules = kinds.map(
        (kind, i) =>
          `{id:"RL${i}",name:"All",events:[{modulePath:"core/src/lib/events/libraryLoaded.js",settings:{}}],conditions:[],actions:[{modulePath:"${kind}/src/lib/actions/send.js",settings:{}}]}`,
      )
      return `window._satellite=window._satellite||{},window._satellite.container={extensions:{${quote(idle ?? 'core')}:{displayName:"x"}},rules:[${rules}]};`
    },
  },
  {
    prefix: 'utag:',
    url: 'https://tags.tiqcdn.com/utag/thistle/main/prod/utag.js',
    write: (kinds, idle) => {
      const on = kinds.map((kind, i) => `"${i + 1}":{load:1,send:1,v:202610010000,wait:1,tid:${kind}}`)
      const off = idle === undefined ? [] : [`"99":{load:0,send:1,v:202610010000,wait:1,tid:${idle}}`]
      return `//tealium universal tag - utag.loader ut4.0\nvar utag_condload=false;utag.loader.cfg={${[...on, ...off]}};`
    },
  },
  {
    prefix: 'segment:',
    url: 'https://cdn.segment.com/v1/projects/0a1b2c3d4e5f6a7b/settings',
    write: (kinds, idle) => {
      const on = kinds.map((kind) => `${quote(kind)}:{}`)
      const off = idle === undefined ? [] : [`${quote(idle)}:{"versionSettings":{"componentTypes":["server"]}}`]
      return `{"integrations":{${[...on, ...off]}},"plan":{"note":${quote(idle ?? '')}}}`
    },
  },
  {
    prefix: 'matomo:',
    url: '/js/container_0a1B2c3D.js',
    write: (kinds, idle) => {
      const tags = kinds.map((type, id) => ({ id, type, parameters: {}, blockTriggerIds: [], fireTriggerIds: [1] }))
      const triggers = [{ id: 1, type: 'PageView', conditions: [] }]
      return `Templates[${quote(`${idle}Tag`)}]={};window.MatomoTagManager.addContainer(${JSON.stringify({ id: '0a1B2c3D', tags, triggers })},Templates);`
    },
  },
  {
    prefix: 'mparticle:',
    url: 'https://jssdkcdns.mparticle.com/js/v2/us1-0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d/mparticle.js',
    write: (kinds, idle) =>
      `window.mParticle.config=${JSON.stringify({ appName: idle, kitConfigs: kinds.map((name) => ({ name })) })};`,
  },
]

const GOOGLE_URL = 'https://www.googletagmanager.com/gtm.js?id=GTM-0A1B2C'
const GOOGLE_PREFIX = 'google-tag:'

/**
 * Builds the containers of an example: one with tags of some kinds, which run on every page.
 * @param idle a kind of which the container has a tag that is paused or off
 */
export function buildContainers(kinds: readonly string[], idle?: string): ExampleScript[] {
  const [kind = idle ?? ''] = kinds
  const writer = WRITERS.find(({ prefix }) => kind.startsWith(prefix))
  if (writer === undefined) return [{ url: GOOGLE_URL, text: writeGoogle(kinds, idle) }]
  const strip = (word: string): string => word.slice(writer.prefix.length)
  return [{ url: writer.url, text: writer.write(kinds.map(strip), idle === undefined ? undefined : strip(idle)) }]
}

function writeGoogle(kinds: readonly string[], idle: string | undefined): string {
  const tags: object[] = kinds.map((kind) =>
    kind.startsWith(GOOGLE_PREFIX)
      ? { function: '__googtag', vtp_tagId: `${kind.slice(GOOGLE_PREFIX.length)}-0A1B2C3D4` }
      : { function: kind },
  )
  if (idle !== undefined) tags.push({ function: '__paused', vtp_originalTagType: idle.replace(/^__/, '') })
  const resource = {
    version: '1',
    macros: [{ function: '__e' }],
    tags,
    predicates: [{ function: '_eq', arg0: ['macro', 0], arg1: 'gtm.js' }],
    rules: [
      [
        ['if', 0],
        ['add', ...tags.keys()],
      ],
    ],
  }
  return `(function(){var data = ${JSON.stringify({ resource, runtime: [] })};})();`
}

function quote(text: string): string {
  return JSON.stringify(text)
}
