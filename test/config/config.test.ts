import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { SetupError } from '../../src/errors.ts'
import { writeFolder } from '../support/rule-folder.ts'

const PEPPER = 'p'.repeat(32)
const folder = writeFolder({
  'file.txt': '',
  'plans.yaml': 'free: { perMinute: 1, perMonth: 2 }\n',
  'bad.yaml': 'free: { perMinute: 0, perMonth: 2 }\npro: 4\n',
})

function faultsOf(env: Readonly<Record<string, string>>): string[] {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    return error.message.split('\n')
  }
}

const DEFAULTS: Omit<Config, 'plans'> = {
  host: '127.0.0.1',
  port: 3000,
  publicUrl: 'http://127.0.0.1:3000',
  metricsHost: '127.0.0.1',
  metricsPort: null,
  dataDir: resolve('data'),
  redisUrl: null,
  mongodbUrl: null,
  keyPepper: null,
  apiRevision: 2,
  scanConcurrency: 64,
  trustProxy: null,
  corsOrigins: [],
  logLevel: 'info',
  ruleFolders: [],
  detectorModules: [],
  scanAllow: [],
  scanPorts: [80, 443],
  scanDeny: [],
  contactUrl: null,
}
const NAMES =
  `HOST PORT PUBLIC_URL METRICS_HOST METRICS_PORT DATA_DIR REDIS_URL MONGODB_URL KEY_PEPPER PLANS_FILE API_REVISION SCAN_CONCURRENCY TRUST_PROXY
  CORS_ORIGINS LOG_LEVEL RULES_DIRS DETECTORS SCAN_ALLOW SCAN_PORTS SCAN_DENY CONTACT_URL`.split(/\s+/)

test.each([
  ['nothing', {}],
  ['empty texts', Object.fromEntries(NAMES.map((name) => [name, '']))],
  ['blanks', Object.fromEntries(NAMES.map((name) => [name, ' \n']))],
])('%s is set: the defaults', (_, env) => {
  const { plans, ...rest } = loadConfig(env)
  expect(rest).toEqual(DEFAULTS)
  expect([...plans.values()]).toEqual([
    { name: 'free', perMinute: 10, perMonth: 100 },
    { name: 'starter', perMinute: 30, perMonth: 2000 },
    { name: 'pro', perMinute: 60, perMonth: 10_000 },
    { name: 'advanced', perMinute: 120, perMonth: 50_000 },
  ])
})

describe('what is set is read', () => {
  test.each<[string, string, Partial<Config>]>([
    ['HOST', '::', { host: '::' }],
    ['HOST', ' api.example ', { host: 'api.example', publicUrl: 'http://api.example:3000' }],
    ['HOST', '::1', { publicUrl: 'http://[::1]:3000' }],
    ['HOST', 'fe80::1%eth0', { host: 'fe80::1%eth0', publicUrl: 'http://[fe80::1]:3000' }],
    ['METRICS_HOST', '0.0.0.0', { metricsHost: '0.0.0.0', host: '127.0.0.1' }],
    ['PUBLIC_URL', 'https://Siteprint.example/', { publicUrl: 'https://siteprint.example' }],
    ['PUBLIC_URL', 'https://bücher.example:8443/api/', { publicUrl: 'https://xn--bcher-kva.example:8443/api' }],
    ['PUBLIC_URL', 'http://[2001:DB8::1]', { publicUrl: 'http://[2001:db8::1]' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['METRICS_PORT', '9100', { metricsPort: 9100 }],
    ['METRICS_PORT', '0', { metricsPort: 0 }],
    ['DATA_DIR', join(folder, 'new', 'one'), { dataDir: join(folder, 'new', 'one') }],
    ['DATA_DIR', folder, { dataDir: folder }],
    ['DATA_DIR', 'x', { dataDir: resolve('x') }],
    ['REDIS_URL', 'redis://127.0.0.1:6379/2', { redisUrl: 'redis://127.0.0.1:6379/2' }],
    ['REDIS_URL', 'rediss://user:p%40ss@redis.example', { redisUrl: 'rediss://user:p%40ss@redis.example' }],
    ['KEY_PEPPER', PEPPER, { keyPepper: PEPPER }],
    ['KEY_PEPPER', `${PEPPER}\n`, { keyPepper: PEPPER }],
    ['API_REVISION', '1', { apiRevision: 1 }],
    ['API_REVISION', '2', { apiRevision: 2 }],
    ['SCAN_CONCURRENCY', '10000', { scanConcurrency: 10_000 }],
    ['TRUST_PROXY', '0', { trustProxy: null }],
    ['TRUST_PROXY', '2', { trustProxy: 2 }],
    ['TRUST_PROXY', ',', { trustProxy: null }],
    ['TRUST_PROXY', '10.0.0.0/8, ::1,fd00::/8', { trustProxy: ['10.0.0.0/8', '::1', 'fd00::/8'] }],
    ['CORS_ORIGINS', '*', { corsOrigins: '*' }],
    ['CORS_ORIGINS', 'HTTPS://App.example:443/', { corsOrigins: ['https://app.example'] }],
    [
      'CORS_ORIGINS',
      'http://a.example:8080,https://b.example',
      { corsOrigins: ['http://a.example:8080', 'https://b.example'] },
    ],
    ['SCAN_DENY', 'A.example., *.bücher.de', { scanDeny: ['a.example', 'xn--bcher-kva.de'] }],
    ['SCAN_DENY', '2001:db8:0::1, [2001:DB8::2], 010.0.0.1', { scanDeny: ['2001:db8::1', '2001:db8::2', '8.0.0.1'] }],
    ['SCAN_PORTS', '8080,80', { scanPorts: [8080, 80] }],
    [
      'PLANS_FILE',
      join(folder, 'plans.yaml'),
      { plans: new Map([['free', { name: 'free', perMinute: 1, perMonth: 2 }]]) },
    ],
  ])('%s=%s', (name, value, expected) => {
    expect(loadConfig({ [name]: value })).toMatchObject(expected)
  })

  test.each([
    'mongodb://127.0.0.1:27017/siteprint',
    'mongodb://user:p%40ss@a.example:27017,b.example:27018/siteprint?replicaSet=rs0',
    'mongodb+srv://cluster.example/?retryWrites=true',
    'mongodb://user:pw@[::1]:27017,[::2]/x',
    'mongodb://%2Ftmp%2Fmongodb-27017.sock/x',
  ])('MONGODB_URL=%s', (url) => {
    expect(loadConfig({ MONGODB_URL: url, KEY_PEPPER: PEPPER })).toMatchObject({ mongodbUrl: url, keyPepper: PEPPER })
  })
})

describe('what is wrong is told in a sentence', () => {
  const LISTEN = 'write an address or a name to listen on, without scheme, brackets and port'
  const PUBLIC_URL =
    'write the http or https URL that people reach the service at, such as https://siteprint.example, without user, query and fragment'
  const origin = 'is no origin such as https://app.example, nor all of it *'
  const host = 'is no host such as example.org or 192.0.2.7, without scheme, port and path'
  const proxies = 'is no address[/bits], nor all of it a count of proxies up to 100'
  test.each<[string, string, string]>([
    ...['http://x', '127.0.0.1:3000', '[::1]', 'a b', 'a/b', '-a', ':::', 'localhost:'].flatMap((value) =>
      ['HOST', 'METRICS_HOST'].map((name): [string, string, string] => [name, value, LISTEN]),
    ),
    ...[
      'siteprint.example',
      'ftp://a.example',
      'https://',
      'https://a.example?x',
      'https://a.example/#x',
      'https://u:p@a.example',
      'https://a b.example',
      'https://a.example:99999',
      'https://[::1',
      'https:\\\\a.example',
    ].map((value): [string, string, string] => ['PUBLIC_URL', value, PUBLIC_URL]),
    ['PORT', '65536', 'write a number from 0 to 65535'],
    ['PORT', '-1', 'write a number from 0 to 65535'],
    ['PORT', '3e3', 'write a number from 0 to 65535'],
    ['METRICS_PORT', '3000', 'write another port than that of PORT'],
    ['METRICS_PORT', 'off', 'write a number from 0 to 65535'],
    ['DATA_DIR', join(folder, 'file.txt'), 'name a folder, or one that can be made'],
    ['DATA_DIR', join(folder, 'file.txt', 'x'), 'name a folder, or one that can be made'],
    [
      'REDIS_URL',
      '127.0.0.1:6379',
      'write redis://host:port or rediss://host:port, with special characters of user and password as %XX',
    ],
    [
      'REDIS_URL',
      'http://a.example',
      'write redis://host:port or rediss://host:port, with special characters of user and password as %XX',
    ],
    [
      'REDIS_URL',
      'redis://',
      'write redis://host:port or rediss://host:port, with special characters of user and password as %XX',
    ],
    [
      'REDIS_URL',
      'redis://a.example:x',
      'write redis://host:port or rediss://host:port, with special characters of user and password as %XX',
    ],
    [
      'REDIS_URL',
      'redis://a.example/abc',
      'write redis://host:port or rediss://host:port, with special characters of user and password as %XX',
    ],
    [
      'REDIS_URL',
      'redis://me:pw%@a.example',
      'write redis://host:port or rediss://host:port, with special characters of user and password as %XX',
    ],
    ['KEY_PEPPER', 'p'.repeat(31), 'write at least 32 characters: `openssl rand -base64 32` makes some'],
    ['KEY_PEPPER', '😀'.repeat(31), 'write at least 32 characters: `openssl rand -base64 32` makes some'],
    ['API_REVISION', '3', 'write a number from 1 to 2'],
    ['SCAN_CONCURRENCY', '0', 'write a number from 1 to 10000'],
    ['SCAN_CONCURRENCY', '10001', 'write a number from 1 to 10000'],
    ['SCAN_PORTS', '80,0', 'entry 2 is no port from 1 to 65535'],
    ['TRUST_PROXY', '101', `entry 1 ${proxies}`],
    ['TRUST_PROXY', 'true', `entry 1 ${proxies}`],
    ['TRUST_PROXY', '10.0.0.1,loopback', `entry 2 ${proxies}`],
    ['TRUST_PROXY', '10.0.0.0/33', `entry 1 ${proxies}`],
    ['TRUST_PROXY', '::/0', `entry 1 ${proxies}`],
    ['TRUST_PROXY', '[::1]', `entry 1 ${proxies}`],
    ['CORS_ORIGINS', 'https://a.example,*', `entry 2 ${origin}`],
    ['CORS_ORIGINS', 'https://a.example/path', `entry 1 ${origin}`],
    ['CORS_ORIGINS', 'https://me:pw@a.example', `entry 1 ${origin}`],
    ['CORS_ORIGINS', 'a.example', `entry 1 ${origin}`],
    ['CORS_ORIGINS', 'null', `entry 1 ${origin}`],
    ['SCAN_DENY', 'a.example,https://b.example', `entry 2 ${host}`],
    ['SCAN_DENY', 'b.example:443', `entry 1 ${host}`],
    ['SCAN_DENY', '*', `entry 1 ${host}`],
    ['LOG_LEVEL', 'INFO', 'write one of silent, fatal, error, warn, info, debug, trace'],
    ['PLANS_FILE', join(folder, 'none.yaml'), `${join(folder, 'none.yaml')}: the plans cannot be read: ENOENT`],
  ])('%s=%s', (name, value, sentence) => {
    expect(faultsOf({ [name]: value })).toEqual([`${name}: ${sentence}`])
  })

  test.each([
    ...['http://a.example', 'mongodb://', 'mongodb:///x', 'mongodb://a b', 'a.example:27017'],
    ...[
      'mongodb://user:pw@',
      'mongodb://user:pw@/x',
      'mongodb://@',
      'mongodb://a,',
      'mongodb://:27017',
      'mongodb://a:x',
    ],
    ...['mongodb://a:0', 'mongodb://a:65536', 'mongodb://[::1', 'mongodb+srv://user:pw@/?tls=true'],
    ...[
      'mongodb://a/b.c',
      'mongodb://a/b/c',
      'mongodb://a/%zz',
      'mongodb://u:hunt/er@a/x',
      `mongodb://a/${'b'.repeat(64)}`,
    ],
  ])('MONGODB_URL=%s', (url) => {
    expect(faultsOf({ MONGODB_URL: url, KEY_PEPPER: PEPPER })).toEqual([
      'MONGODB_URL: write mongodb://host:port/database or mongodb+srv://host/database, with special characters of user and password as %XX',
    ])
  })

  test('MONGODB_URL without a pepper', () => {
    expect(faultsOf({ MONGODB_URL: 'mongodb://127.0.0.1/x' })).toEqual([
      'KEY_PEPPER: must be set with MONGODB_URL: at least 32 characters, the same on every node',
    ])
  })

  test('all at once, faults of the plans with their lines', () => {
    const plans = join(folder, 'bad.yaml')
    const bad = { PORT: 'x', MONGODB_URL: 'x', REDIS_URL: 'x', PLANS_FILE: plans, LOG_LEVEL: 'x', SCAN_ALLOW: 'x' }
    expect(faultsOf(bad).map((fault) => fault.replace(`${plans}:`, ''))).toEqual([
      'SCAN_ALLOW: entry 1 is no address[/bits][:port], IPv6 in brackets',
      'PORT: write a number from 0 to 65535',
      'PLANS_FILE: 1: perMinute must be a whole number from 1 to 1000000000',
      'PLANS_FILE: 2: the plan "pro" must have perMinute and perMonth',
      'LOG_LEVEL: write one of silent, fatal, error, warn, info, debug, trace',
      'MONGODB_URL: write mongodb://host:port/database or mongodb+srv://host/database, with special characters of user and password as %XX',
      'KEY_PEPPER: must be set with MONGODB_URL: at least 32 characters, the same on every node',
      'REDIS_URL: write redis://host:port or rediss://host:port, with special characters of user and password as %XX',
    ])
  })
})

test('no value is ever printed, whatever is set', () => {
  // Files and folders are named, so that their faults can be found.
  const names = fc.constantFrom(...NAMES.filter((name) => !/_FILE|_DIRS?$/.test(name)))
  const secret = fc.stringMatching(/^[ -~]{0,8}hunter2[ -~]{0,30}$/)
  fc.assert(
    fc.property(fc.dictionary(names, secret), (env) => {
      expect(faultsOf(env).join()).not.toContain('hunter2')
    }),
  )
})
