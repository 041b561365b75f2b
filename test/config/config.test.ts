import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { isPortalOn } from '../../src/config/is-portal-on.ts'
import { SetupError } from '../../src/errors.ts'
import { writeFolder } from '../support/rule-folder.ts'

const PEPPER = 'p'.repeat(32)
const folder = writeFolder({
  'file.txt': '',
  'secret.txt': `${PEPPER}\n`,
  'redis.txt': ' redis://127.0.0.1:6379\r\n',
  'plans.yaml': 'free: { perMinute: 1, perMonth: 2 }\n',
  'bad.yaml': 'free: { perMinute: 0, perMonth: 2 }\npro: 4\n',
})

function findProblems(env: Readonly<Record<string, string>>): string[] {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    return error.message.split('\n')
  }
}

/** What these settings need to be used at all. */
const withPublicUrl = (name: string): Readonly<Record<string, string>> =>
  ['TRUST_PROXY', 'SMTP_URL'].includes(name) ? { PUBLIC_URL: 'https://siteprint.example' } : {}

const DEFAULTS: Omit<Config, 'plans'> = {
  host: '127.0.0.1',
  port: 3000,
  publicUrl: null,
  allowedHosts: [],
  metricsHost: '127.0.0.1',
  metricsPort: null,
  dataDir: resolve('data'),
  cacheDir: join(homedir(), '.cache', 'siteprint'),
  redisUrl: null,
  mongodbUrl: null,
  networksFile: null,
  keyPepper: null,
  keyPepperOld: null,
  mcp: 'on',
  apiRevision: 2,
  scanConcurrency: 64,
  workerConcurrency: 16,
  batchDays: 7,
  trustProxy: null,
  corsOrigins: [],
  serviceUrl: null,
  apiKey: null,
  logLevel: 'info',
  ruleFolders: [],
  rulesUrl: null,
  rulesPublicKey: null,
  detectorModules: [],
  scanAllow: [],
  scanPorts: [80, 443],
  scanDeny: [],
  scanScripts: true,
  contactUrl: null,
  botKey: null,
  botDirectory: null,
  portal: null,
  signUp: 'open',
  authSecret: null,
  adminEmails: [],
  auditDays: 400,
  smtpUrl: null,
  chromium: null,
  browserUrl: null,
  chromiumSandbox: true,
  renderConcurrency: 2,
  mailFrom: null,
}
const NAMES =
  `HOST PORT PUBLIC_URL ALLOWED_HOSTS METRICS_HOST METRICS_PORT DATA_DIR REDIS_URL MONGODB_URL KEY_PEPPER PLANS_FILE API_REVISION SCAN_CONCURRENCY TRUST_PROXY
  CORS_ORIGINS LOG_LEVEL RULES_DIRS RULES_URL RULES_PUBLIC_KEY DETECTORS SCAN_ALLOW SCAN_PORTS SCAN_DENY SCAN_SCRIPTS CONTACT_URL
  BOT_KEY_FILE BOT_DIRECTORY_URL BROWSER_URL
  PORTAL SIGNUP AUTH_SECRET ADMIN_EMAILS SMTP_URL MAIL_FROM KEY_PEPPER_FILE AUTH_SECRET_FILE MONGODB_URL_FILE REDIS_URL_FILE
  SMTP_URL_FILE`.split(/\s+/)

test.each([
  ['nothing', {}],
  ['empty texts', Object.fromEntries(NAMES.map((name) => [name, '']))],
  ['blanks', Object.fromEntries(NAMES.map((name) => [name, ' \n']))],
])('%s is set: the defaults apply', (_, env) => {
  const { plans, ...rest } = loadConfig(env)
  expect(rest).toEqual(DEFAULTS)
  expect([...plans.values()]).toEqual([
    { name: 'free', perMinute: 10, perMonth: 100, keys: 1, batchUrls: 100, pages: 4 },
    { name: 'starter', perMinute: 30, perMonth: 2000, keys: 3, batchUrls: 1000, pages: 5 },
    { name: 'pro', perMinute: 60, perMonth: 10_000, keys: 10, batchUrls: 10_000, pages: 5 },
    { name: 'advanced', perMinute: 120, perMonth: 50_000, keys: 25, batchUrls: 50_000, pages: 5 },
  ])
})

describe('a valid value is read', () => {
  test.each<[string, string, Partial<Config>]>([
    ['HOST', '::', { host: '::' }],
    ['HOST', ' api.example ', { host: 'api.example', publicUrl: null, metricsHost: '127.0.0.1' }],
    ['HOST', 'fe80::1%eth0', { host: 'fe80::1%eth0' }],
    ...[
      'http://127.0.0.1:9222',
      'http://[::1]:9222',
      'http://localhost:9222/',
      'ws://127.0.0.1:1/devtools/browser/x',
    ].map((value): [string, string, Partial<Config>] => ['BROWSER_URL', value, { browserUrl: value, chromium: null }]),
    ['METRICS_HOST', '0.0.0.0', { metricsHost: '0.0.0.0', host: '127.0.0.1' }],
    ['PUBLIC_URL', 'https://Siteprint.example/', { publicUrl: 'https://siteprint.example' }],
    ['PUBLIC_URL', 'https://bücher.example:8443', { publicUrl: 'https://xn--bcher-kva.example:8443' }],
    ['PUBLIC_URL', 'http://[2001:DB8::1]', { publicUrl: 'http://[2001:db8::1]' }],
    [
      'ALLOWED_HOSTS',
      'Siteprint.LAN., bücher.example, [2001:DB8::1], 192.0.2.7',
      { allowedHosts: ['siteprint.lan', 'xn--bcher-kva.example', '2001:db8::1', '192.0.2.7'] },
    ],
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
    ['PORTAL', 'on', { portal: 'on' }],
    ['PORTAL', 'off', { portal: 'off' }],
    ['SIGNUP', 'invite', { signUp: 'invite' }],
    ['HOST', 'localhost', { signUp: 'open' }],
    ['HOST', '::1', { signUp: 'open' }],
    ['HOST', '127.1.2.3', { signUp: 'open' }],
    ['HOST', '0.0.0.0', { signUp: 'off' }],
    ['HOST', '127.example', { signUp: 'off' }],
    ['PUBLIC_URL', 'http://127.0.0.1:3000', { signUp: 'off' }],
    ['TRUST_PROXY', '0', { signUp: 'off' }],
    ['AUTH_SECRET', PEPPER, { authSecret: PEPPER }],
    ['ADMIN_EMAILS', 'Ann@A.example, bob@b.example', { adminEmails: ['ann@a.example', 'bob@b.example'] }],
    ['MAIL_FROM', 'Siteprint <a@a.example>', { mailFrom: 'Siteprint <a@a.example>' }],
    ['MAIL_FROM', 'a@a.example', { mailFrom: 'a@a.example' }],
    ['KEY_PEPPER_FILE', join(folder, 'secret.txt'), { keyPepper: PEPPER }],
    ['AUTH_SECRET_FILE', join(folder, 'secret.txt'), { authSecret: PEPPER }],
    ['REDIS_URL_FILE', join(folder, 'redis.txt'), { redisUrl: 'redis://127.0.0.1:6379' }],
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
    ['SCAN_SCRIPTS', 'off', { scanScripts: false }],
    ['SCAN_SCRIPTS', 'on', { scanScripts: true }],
  ])('%s=%s', (name, value, expected) => {
    expect(loadConfig({ ...withPublicUrl(name), [name]: value })).toMatchObject(expected)
  })

  test('PLANS_FILE', () => {
    const { plans } = loadConfig({ PLANS_FILE: join(folder, 'plans.yaml') })
    expect([...plans.values()]).toEqual([{ name: 'free', perMinute: 1, perMonth: 2, keys: 1 }])
  })

  test.each([{ PORTAL: 'off' }, { MONGODB_URL: 'mongodb://127.0.0.1/x', KEY_PEPPER: PEPPER }])(
    'PUBLIC_URL with a path, where the portal is off: %j',
    (env) => {
      const { publicUrl } = loadConfig({ PUBLIC_URL: 'https://bücher.example/api/', ...env })
      expect(publicUrl).toBe('https://xn--bcher-kva.example/api')
    },
  )

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

describe('an invalid value is reported in a sentence', () => {
  const BROWSER_URL =
    'write the DevTools address of a Chromium on this machine, such as http://127.0.0.1:9222. One elsewhere cannot use the proxies of this process'
  const LISTEN = 'write an address or a host name to listen on, without scheme, brackets and port'
  const PUBLIC_URL =
    'write the public http or https URL of the service, such as https://siteprint.example, without user, query and fragment'
  const origin = 'is not an origin such as https://app.example; to allow all, write only *'
  const allowed =
    'is not a host name such as siteprint.lan or an address such as 192.0.2.7, without scheme, port and path; patterns are not possible'
  const host = 'is not a host such as example.org or 192.0.2.7, without scheme, port and path'
  const proxies = 'is not an address[/bits]; to give the number of proxies, write only a number up to 100'
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
      'http://0.0.0.0:3000',
      'http://[::]:3000',
    ].map((value): [string, string, string] => ['PUBLIC_URL', value, PUBLIC_URL]),
    [
      'PUBLIC_URL',
      'https://a.example/api',
      'write a URL without a path, because the portal needs a host name of its own, or PORTAL=off',
    ],
    ['PORT', '65536', 'write a number from 0 to 65535'],
    ['PORT', '-1', 'write a number from 0 to 65535'],
    ['PORT', '3e3', 'write a number from 0 to 65535'],
    ['METRICS_PORT', '3000', 'write a port other than that of PORT'],
    ['METRICS_PORT', 'off', 'write a number from 0 to 65535'],
    ['DATA_DIR', join(folder, 'file.txt'), 'write the path of a folder that exists or can be created'],
    ['DATA_DIR', join(folder, 'file.txt', 'x'), 'write the path of a folder that exists or can be created'],
    [
      'REDIS_URL',
      '127.0.0.1:6379',
      'write redis://host:port or rediss://host:port; percent-encode special characters in user and password',
    ],
    [
      'REDIS_URL',
      'http://a.example',
      'write redis://host:port or rediss://host:port; percent-encode special characters in user and password',
    ],
    [
      'REDIS_URL',
      'redis://',
      'write redis://host:port or rediss://host:port; percent-encode special characters in user and password',
    ],
    [
      'REDIS_URL',
      'redis://a.example:x',
      'write redis://host:port or rediss://host:port; percent-encode special characters in user and password',
    ],
    [
      'REDIS_URL',
      'redis://a.example/abc',
      'write redis://host:port or rediss://host:port; percent-encode special characters in user and password',
    ],
    [
      'REDIS_URL',
      'redis://me:pw%@a.example',
      'write redis://host:port or rediss://host:port; percent-encode special characters in user and password',
    ],
    ...[
      '127.0.0.1:9222',
      'https://127.0.0.1:9222',
      'http://10.0.0.1:9222',
      'http://localhost.example:9222',
      'http://u:p@127.0.0.1:9222',
      'ws://browser:9222/devtools/browser/x',
    ].map((value): [string, string, string] => ['BROWSER_URL', value, BROWSER_URL]),
    ['KEY_PEPPER', 'p'.repeat(31), 'write at least 32 characters, such as the output of `openssl rand -base64 32`'],
    ['KEY_PEPPER', '😀'.repeat(31), 'write at least 32 characters, such as the output of `openssl rand -base64 32`'],
    ['PORTAL', 'yes', 'write one of on, off'],
    ['SIGNUP', 'closed', 'write one of open, invite, off'],
    ['AUTH_SECRET', 'x', 'write at least 32 characters, such as the output of `openssl rand -base64 32`'],
    ['ADMIN_EMAILS', 'ann@a.example, bob', 'entry 2 is not an e-mail address such as ann@example.org'],
    ...['a', 'Ann', 'Ann <a>', '<a@a.example>', 'A, b <a@a.example>', 'a@a.example\nBcc: b@a.example'].map(
      (value): [string, string, string] => [
        'MAIL_FROM',
        value,
        'write an e-mail address, such as Siteprint <siteprint@example.org>',
      ],
    ),
    ['KEY_PEPPER_FILE', join(folder, 'none'), `the file cannot be read (ENOENT): ${join(folder, 'none')}`],
    ['AUTH_SECRET_FILE', folder, `the file cannot be read (EISDIR): ${folder}`],
    ['MONGODB_URL_FILE', join(folder, 'file.txt'), `the file is empty: ${join(folder, 'file.txt')}`],
    ['API_REVISION', '3', 'write a number from 1 to 2'],
    ['SCAN_CONCURRENCY', '0', 'write a number from 1 to 10000'],
    ['SCAN_CONCURRENCY', '10001', 'write a number from 1 to 10000'],
    ['SCAN_PORTS', '80,0', 'entry 2 is not a port from 1 to 65535'],
    ['TRUST_PROXY', '101', `entry 1 ${proxies}`],
    ['TRUST_PROXY', 'true', `entry 1 ${proxies}`],
    ['TRUST_PROXY', '10.0.0.1,loopback', `entry 2 ${proxies}`],
    ['TRUST_PROXY', '10.0.0.0/33', `entry 1 ${proxies}`],
    ['TRUST_PROXY', '::/0', `entry 1 ${proxies}`],
    ['TRUST_PROXY', '[::1]', `entry 1 ${proxies}`],
    ...['siteprint.lan:3000', 'https://a.example', '*.example.org', '*', 'a.example/x'].map(
      (value): [string, string, string] => ['ALLOWED_HOSTS', `b.example,${value}`, `entry 2 ${allowed}`],
    ),
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
    expect(findProblems({ ...withPublicUrl(name), [name]: value })).toEqual([`${name}: ${sentence}`])
  })

  test.each([
    'http://a.example',
    'mongodb://',
    'mongodb:///x',
    'mongodb://a b',
    'a.example:27017',
    'mongodb://user:pw@',
    'mongodb://user:pw@/x',
    'mongodb://@',
    'mongodb://a,',
    'mongodb://:27017',
    'mongodb://a:x',
    'mongodb://a:0',
    'mongodb://a:65536',
    'mongodb://[::1',
    'mongodb+srv://user:pw@/?tls=true',
    'mongodb://a/b.c',
    'mongodb://a/b/c',
    'mongodb://a/%zz',
    'mongodb://u:hunt/er@a/x',
    `mongodb://a/${'b'.repeat(64)}`,
  ])('MONGODB_URL=%s', (url) => {
    expect(findProblems({ MONGODB_URL: url, KEY_PEPPER: PEPPER })).toEqual([
      'MONGODB_URL: write mongodb://host:port/database or mongodb+srv://host/database; percent-encode special characters in user and password',
    ])
  })

  test('MONGODB_URL without a pepper', () => {
    expect(findProblems({ MONGODB_URL: 'mongodb://127.0.0.1/x' })).toEqual([
      'KEY_PEPPER: is required with MONGODB_URL: write at least 32 characters, the same on every node',
    ])
  })

  test.each(['smtp.a.example:25', 'http://a.example', 'smtp://', 'smtp://a.example/x', 'smtp://u:p%@a.example'])(
    'SMTP_URL=%s',
    (url) => {
      expect(findProblems({ ...withPublicUrl('SMTP_URL'), SMTP_URL: url, MAIL_FROM: 'a@a.example' })).toEqual([
        'SMTP_URL: write smtp://host:port or smtps://host:port; percent-encode special characters in user and password',
      ])
    },
  )

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'two browsers',
      { CHROMIUM: join(folder, 'secret.txt'), BROWSER_URL: 'http://127.0.0.1:9222' },
      'BROWSER_URL: cannot be used with CHROMIUM: remove one of them',
    ],
    [
      'SMTP_URL without a sender',
      { ...withPublicUrl('SMTP_URL'), SMTP_URL: 'smtp://a.example' },
      'MAIL_FROM: is required with SMTP_URL: write the sender of e-mails',
    ],
    [
      'the portal on MongoDB without a secret',
      { MONGODB_URL: 'mongodb://127.0.0.1/x', KEY_PEPPER: PEPPER, PORTAL: 'on' },
      'AUTH_SECRET: is required with MONGODB_URL and PORTAL=on: write at least 32 characters, the same on every node',
    ],
    [
      'a secret and its file',
      { KEY_PEPPER: PEPPER, KEY_PEPPER_FILE: join(folder, 'secret.txt') },
      'KEY_PEPPER_FILE: set either KEY_PEPPER or KEY_PEPPER_FILE',
    ],
    [
      'an invalid secret in a file',
      { REDIS_URL_FILE: join(folder, 'secret.txt') },
      'REDIS_URL: write redis://host:port or rediss://host:port; percent-encode special characters in user and password',
    ],
  ])('%s', (_, env, problem) => {
    expect(findProblems(env)).toEqual([problem])
  })

  test('all problems at once, in the order of the documentation; those of the plans with their lines', () => {
    const plans = join(folder, 'bad.yaml')
    const bad = { PORT: 'x', MONGODB_URL: 'x', REDIS_URL: 'x', PLANS_FILE: plans, LOG_LEVEL: 'x', SCAN_ALLOW: 'x' }
    expect(findProblems(bad).map((problem) => problem.replace(`${plans}:`, ''))).toEqual([
      'PORT: write a number from 0 to 65535',
      'REDIS_URL: write redis://host:port or rediss://host:port; percent-encode special characters in user and password',
      'MONGODB_URL: write mongodb://host:port/database or mongodb+srv://host/database; percent-encode special characters in user and password',
      'KEY_PEPPER: is required with MONGODB_URL: write at least 32 characters, the same on every node',
      'PLANS_FILE: 1: perMinute must be a whole number from 1 to 1000000000',
      'PLANS_FILE: 2: pro must be a mapping with perMinute, perMonth and, optionally, keys, batchUrls and pages',
      'SCAN_ALLOW: entry 1 is not an address[/bits][:port]; write IPv6 addresses in brackets',
      'LOG_LEVEL: write one of silent, fatal, error, warn, info, debug, trace',
    ])
  })
})

test.each<[Readonly<Record<string, string>>, boolean]>([
  [{}, true],
  [{ PORTAL: 'off' }, false],
  [{ MONGODB_URL: 'mongodb://127.0.0.1/x', KEY_PEPPER: PEPPER }, false],
  [{ MONGODB_URL: 'mongodb://127.0.0.1/x', KEY_PEPPER: PEPPER, AUTH_SECRET: PEPPER }, true],
  [{ MONGODB_URL: 'mongodb://127.0.0.1/x', KEY_PEPPER: PEPPER, AUTH_SECRET: PEPPER, PORTAL: 'off' }, false],
])('whether the portal is on with %j: %s', (env, expected) => {
  expect(isPortalOn(loadConfig(env))).toBe(expected)
})

test('a problem never contains the value of the setting', { tags: ['property'] }, () => {
  // Problems of files and folders name the path, so that the operator can find them.
  const names = fc.constantFrom(...NAMES.filter((name) => !/_FILE|_DIRS?$/.test(name)))
  const secret = fc.stringMatching(/^[ -~]{0,8}hunter2[ -~]{0,30}$/)
  fc.assert(
    fc.property(fc.dictionary(names, secret), (env) => {
      expect(findProblems(env).join()).not.toContain('hunter2')
    }),
  )
})
