import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/config.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { projectFolder } from '../../src/rules/built.ts'
import type { ComposeFile, ComposeService } from '../support/compose-file.ts'

const root = projectFolder()
const settingNames: readonly string[] = Object.values(SETTINGS).map(({ name }) => name)
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

interface Service extends ComposeService {
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly restart: string
}

/** Substitutes variables as Compose does: `${NAME:?why}` must be set, `${NAME:-default}` may be set. */
function substitute(value: string, set: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{(\w+):\?[^}]+\}/g, (_, name: string) => set[name]).replace(/\$\{\w+:-([^}]*)\}/g, '$1')
}

describe('compose.yaml', () => {
  const { services, networks, volumes } = parse(read('compose.yaml'), { merge: true }) as ComposeFile<Service>
  const nodes = Object.entries(services).filter(([, { build }]) => build !== undefined)
  const stores = Object.entries(services).filter(([, { build }]) => build === undefined)

  test('has two nodes, a worker, a Redis and a MongoDB', () => {
    expect(nodes.map(([name]) => name)).toEqual(['api-1', 'api-2', 'worker'])
    expect(stores.map(([name, { image }]) => [name, image.split(':')[0]])).toEqual([
      ['redis', 'redis'],
      ['mongodb', 'mongo'],
    ])
  })

  test.each(nodes)('%s has valid settings', (_, { environment = {} }) => {
    expect(Object.keys(environment).filter((name) => !settingNames.includes(name))).toEqual([])
    const set = { KEY_PEPPER: 'p'.repeat(44), PUBLIC_URL: 'https://siteprint.example.com' }
    const values = Object.entries(environment).map(([name, value]) => [name, substitute(value, set)])
    const config = loadConfig(Object.fromEntries(values))
    for (const url of [config.redisUrl, config.mongodbUrl])
      expect(Object.keys(services)).toContain(new URL(String(url)).hostname)
    expect(config.keyPepper).toBe(set.KEY_PEPPER)
    expect(config.metricsPort).not.toBeNull()
    expect([config.metricsHost, config.trustProxy, config.publicUrl]).toEqual(['0.0.0.0', 1, set.PUBLIC_URL])
  })

  test.each(nodes)('%s contains no secret, and waits until the stores are healthy', (_, node) => {
    for (const name of ['KEY_PEPPER', 'PUBLIC_URL'])
      expect(node.environment?.[name]).toMatch(new RegExp(`^\\$\\{${name}:\\?.+\\}$`))
    const waits = Object.entries(node.depends_on ?? {})
    expect(waits.map(([name]) => name).sort()).toEqual(stores.map(([name]) => name).sort())
    for (const [, { condition }] of waits) expect(condition).toBe('service_healthy')
    expect(Number.parseInt(String(node.stop_grace_period), 10)).toBeGreaterThanOrEqual(25)
  })

  test('only the nodes of the API publish ports, each its own, on the loopback address', () => {
    expect(nodes.flatMap(([, { ports = [] }]) => ports)).toEqual(['127.0.0.1:3001:3000', '127.0.0.1:3002:3000'])
    expect(stores.filter(([, { ports }]) => ports !== undefined)).toEqual([])
  })

  test.each(stores)('%s has a fixed version and a health check, and is only in the internal network', (_, store) => {
    expect(store.image).toMatch(/:\d+\.\d+$/)
    expect(store.healthcheck?.test[0]).toBe('CMD')
    expect(store.networks.filter((name) => networks[name].internal !== true)).toEqual([])
  })

  test('services use exactly the declared networks and volumes', () => {
    const all = Object.values(services)
    expect([...new Set(all.flatMap((one) => one.networks))].sort()).toEqual(Object.keys(networks).sort())
    const used = all.flatMap((one) => one.volumes ?? []).map((volume) => volume.split(':')[0])
    expect(used).toEqual(Object.keys(volumes))
    expect(all.filter(({ restart }) => restart !== 'unless-stopped')).toEqual([])
  })
})

describe('Dockerfile', () => {
  const text = read('Dockerfile').replace(/\\\n/g, ' ')
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line))
  const stages = text.split(/^(?=FROM )/m).slice(1)
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const findValues = (word: string): string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))

  test('has two stages, with a Node version that the project supports', () => {
    const versions = findValues('FROM').map((image) => Number(/^node:(\d+)-slim/.exec(image)?.[1]))
    expect(versions).toHaveLength(2)
    expect(Math.min(...versions)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]))
  })

  test('copies only paths that exist and that .dockerignore lets in', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    const copied = findValues('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1))
    expect(copied.sort()).toEqual(allowed.sort())
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('runs node without npm, as an unprivileged user, with settings that exist', () => {
    const last = stages[1]
    expect(last).toMatch(/^CMD \["node", "dist\/src\/main\.js"\]$/m)
    expect(last.indexOf('USER node')).toBeGreaterThan(last.lastIndexOf('RUN '))
    const set = Object.fromEntries(
      findValues('ENV')
        .flatMap((line) => line.split(' '))
        .map((pair) => pair.split('=')),
    )
    expect(Object.keys(set).filter((name) => name !== 'NODE_ENV' && !settingNames.includes(name))).toEqual([])
    const { host, port, dataDir } = loadConfig(set)
    expect({ host, port: String(port), dataDir }).toEqual({
      host: '0.0.0.0',
      port: findValues('EXPOSE')[0],
      dataDir: findValues('VOLUME')[0],
    })
  })

  test('is healthy while the process is alive, and contains no development dependencies', () => {
    expect(findValues('HEALTHCHECK')[0]).toContain('/health/live')
    expect(stages[0]).toMatch(/npm ci[\s\S]*npm run -s build && npm prune --omit=dev/)
    expect(stages[1]).not.toMatch(/npm (?:ci|install)/)
  })
})
