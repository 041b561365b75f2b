import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listAdvice } from '../../src/config/advice.ts'
import { loadConfig } from '../../src/config/config.ts'
import { SetupError } from '../../src/errors.ts'
import { RELEASE_PUBLIC_KEY } from '../../src/rules/release-key.ts'
import { writeFolder } from '../support/rule-folder.ts'

type Env = Readonly<Record<string, string>>

const PEPPER = 'Vb4q+0mXn8sJ2kTz6yRw1dHc7uLg3fPa'
const SECRET = 'k9Zr2WqX5vN8bM1cL4jH7gF0dS3aP6oI'
const PUBLIC_KEY = 'MCowBQYDK2VwAyEAzsaTVv2FxJaijlWnyw6M/tSqVgQ48/LBnGpJBhWak4M='
const MONGO = { MONGODB_URL: 'mongodb://127.0.0.1/x', KEY_PEPPER: PEPPER }
const REDIS_URL = 'redis://127.0.0.1'
const MAIL = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@a.example' }
const PUBLIC = { PUBLIC_URL: 'https://siteprint.example', TRUST_PROXY: '1' }
const folder = writeFolder({ 'empty.txt': '', 'open/x': '', 'private/x': '', 'pepper.txt': PEPPER })
chmodSync(join(folder, 'open'), 0o755)
chmodSync(join(folder, 'private'), 0o700)

/** What a start prints: the problems with which it is refused, or its warnings. */
function start(env: Env): { readonly refused: readonly string[]; readonly advised: readonly string[] } {
  const whole = { DATA_DIR: join(folder, 'private'), ...env }
  try {
    const config = loadConfig(whole)
    return { refused: [], advised: listAdvice(config, whole).map(({ level, text }) => `${level} ${text}`) }
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    return { refused: error.message.split('\n'), advised: [] }
  }
}

const WRITE_PUBLIC_URL = 'write the URL that people use, such as https://siteprint.example.com, or set PORTAL=off'

test.each<[string, Env, string]>([
  [
    'a proxy without the public URL',
    { TRUST_PROXY: '1' },
    `PUBLIC_URL: is required for the portal with TRUST_PROXY: ${WRITE_PUBLIC_URL}`,
  ],
  [
    'the same with sign-up',
    { TRUST_PROXY: '1', SIGNUP: 'open' },
    `PUBLIC_URL: is required for the portal with TRUST_PROXY: ${WRITE_PUBLIC_URL}`,
  ],
  [
    'the same with MongoDB',
    { ...MONGO, AUTH_SECRET: SECRET, TRUST_PROXY: '10.0.0.0/8' },
    `PUBLIC_URL: is required for the portal with TRUST_PROXY: ${WRITE_PUBLIC_URL}`,
  ],
  ['e-mail without the public URL', MAIL, `PUBLIC_URL: is required for the portal with SMTP_URL: ${WRITE_PUBLIC_URL}`],
  [
    'both',
    { ...MAIL, TRUST_PROXY: '2', SIGNUP: 'invite' },
    `PUBLIC_URL: is required for the portal with TRUST_PROXY and SMTP_URL: ${WRITE_PUBLIC_URL}`,
  ],
  [
    'e-mail whose URL is in a file, without a sender',
    { SMTP_URL_FILE: join(folder, 'empty.txt') },
    `SMTP_URL_FILE: the file is empty: ${join(folder, 'empty.txt')}`,
  ],
  [
    'e-mail without a sender',
    { ...PUBLIC, SMTP_URL: 'smtp://mail.example' },
    'MAIL_FROM: is required with SMTP_URL: write the sender of e-mails',
  ],
  [
    'a public URL that cannot be opened',
    { PUBLIC_URL: 'http://0.0.0.0:3000' },
    'PUBLIC_URL: write the public http or https URL of the service, such as https://siteprint.example, without user, query and fragment',
  ],
  [
    'a public URL with a path, for the portal',
    { PUBLIC_URL: 'https://a.example/x' },
    'PUBLIC_URL: write a URL without a path, because the portal needs a host name of its own, or PORTAL=off',
  ],
  [
    'MongoDB without a pepper',
    { MONGODB_URL: MONGO.MONGODB_URL },
    'KEY_PEPPER: is required with MONGODB_URL: write at least 32 characters, the same on every node',
  ],
  [
    'the portal on MongoDB without a secret',
    { ...MONGO, PORTAL: 'on' },
    'AUTH_SECRET: is required with MONGODB_URL and PORTAL=on: write at least 32 characters, the same on every node',
  ],
  [
    'a former pepper without a new one',
    { KEY_PEPPER_OLD: PEPPER },
    'KEY_PEPPER_OLD: is only for a change of the pepper: set KEY_PEPPER to the new one, or remove it',
  ],
  [
    'the same pepper twice',
    { KEY_PEPPER: PEPPER, KEY_PEPPER_OLD: PEPPER },
    'KEY_PEPPER_OLD: is the same as KEY_PEPPER: remove it, or set KEY_PEPPER to the new one',
  ],
  [
    'a secret and its file',
    { KEY_PEPPER: PEPPER, KEY_PEPPER_FILE: join(folder, 'pepper.txt') },
    'KEY_PEPPER_FILE: set either KEY_PEPPER or KEY_PEPPER_FILE',
  ],
  [
    'fetched rules with rules of the operator',
    { RULES_URL: 'https://rules.example/x', RULES_PUBLIC_KEY: PUBLIC_KEY, RULES_DIRS: folder },
    'RULES_URL: cannot be used with RULES_DIRS, whose rules are compiled together with the built-in ones: remove one of them',
  ],
  [
    'rules from another machine without TLS',
    { RULES_URL: 'http://rules.example/x', RULES_PUBLIC_KEY: PUBLIC_KEY },
    'RULES_URL: write an https URL without user and password; http is possible for this machine only',
  ],
  [
    'a key of another kind',
    { RULES_URL: 'https://rules.example/x', RULES_PUBLIC_KEY: PEPPER },
    'RULES_PUBLIC_KEY: write an Ed25519 public key: the PEM text, or its base64 lines',
  ],
  [
    'one port for two servers',
    { PORT: '3000', METRICS_PORT: '3000' },
    'METRICS_PORT: write a port other than that of PORT',
  ],
  [
    'an allowed host with a port',
    { ALLOWED_HOSTS: 'siteprint.lan:3000' },
    'ALLOWED_HOSTS: entry 1 is not a host name such as siteprint.lan or an address such as 192.0.2.7, without scheme, port and path; patterns are not possible',
  ],
])('refused: %s', (_, env, problem) => {
  expect(start(env)).toEqual({ refused: [problem], advised: [] })
})

test.runIf(RELEASE_PUBLIC_KEY === null)('refused: fetched rules without a key', () => {
  const problem =
    'RULES_PUBLIC_KEY: is required with RULES_URL, because this release has no key: write the public key of those who sign the rules'
  expect(start({ RULES_URL: 'https://rules.example/x' }).refused).toEqual([problem])
})

const NO_NAMES =
  'warning HOST: other machines can connect, but only localhost and the addresses of this machine are served; for names set PUBLIC_URL or ALLOWED_HOSTS'
const PORTAL_OFF = 'has no effect, because the portal is off'

test.each<[string, Env, readonly string[]]>([
  [
    'the API behind a proxy, without names',
    { PORTAL: 'off', TRUST_PROXY: '1' },
    [
      'warning TRUST_PROXY: without PUBLIC_URL and ALLOWED_HOSTS, requests that name another host than localhost or an address of this machine get 421; set PUBLIC_URL',
    ],
  ],
  [
    'a public URL with https and no proxy',
    { PUBLIC_URL: PUBLIC.PUBLIC_URL },
    [
      'warning TRUST_PROXY: is not set, although PUBLIC_URL begins with https, which needs a proxy in front; write the number of proxies, or 0 if they report no addresses',
    ],
  ],
  [
    'a public URL with http',
    { PUBLIC_URL: 'http://siteprint.example' },
    [
      'warning PUBLIC_URL: begins with http, so passwords, cookies and keys are sent unencrypted; put a proxy with TLS in front, and write https',
    ],
  ],
  [
    'e-mail with links to this machine',
    { ...MAIL, PUBLIC_URL: 'http://localhost:3000' },
    ['warning PUBLIC_URL: names this machine only, so links work nowhere else; write the URL that people use'],
  ],
  ['a reachable address without names', { HOST: '0.0.0.0' }, [NO_NAMES]],
  [
    'sign-up on a reachable address without the public URL',
    { HOST: '::', SIGNUP: 'invite' },
    [
      NO_NAMES,
      'warning SIGNUP: without PUBLIC_URL, cookies are not Secure and links begin with http://localhost; set PUBLIC_URL to the URL that people use',
    ],
  ],
  [
    'open sign-up without e-mail',
    { ...PUBLIC, SIGNUP: 'open' },
    [
      'warning SIGNUP: with open and without SMTP_URL, people sign up with addresses that are not confirmed; set SMTP_URL, or write invite',
    ],
  ],
  ['sign-up without the portal', { PORTAL: 'off', SIGNUP: 'open' }, [`warning SIGNUP: ${PORTAL_OFF}`]],
  [
    'administrators without the portal',
    { PORTAL: 'off', ADMIN_EMAILS: 'a@a.example' },
    [`warning ADMIN_EMAILS: ${PORTAL_OFF}`],
  ],
  ['e-mail without the portal', { PORTAL: 'off', ...MAIL }, [`warning SMTP_URL: ${PORTAL_OFF}`]],
  [
    'rules of an operator that cannot be kept compiled',
    { RULES_DIRS: folder, CACHE_DIR: '/proc/none/cache' },
    [
      'warning CACHE_DIR: cannot be written, so the rules of RULES_DIRS are compiled at each start; write a folder of this user',
    ],
  ],
  [
    'a key without rules to fetch',
    { RULES_PUBLIC_KEY: PUBLIC_KEY },
    ['warning RULES_PUBLIC_KEY: has no effect without RULES_URL'],
  ],
  ['a sender without e-mail', { MAIL_FROM: 'a@a.example' }, ['warning MAIL_FROM: has no effect without SMTP_URL']],
  [
    'MongoDB without the secret of the portal',
    { ...MONGO, REDIS_URL },
    [
      'warning AUTH_SECRET: is not set, so the portal is off; set it to the same secret on every node, or set PORTAL=off',
    ],
  ],
  [
    'MongoDB without Redis',
    { ...MONGO, PORTAL: 'off' },
    ['warning REDIS_URL: is not set; each node counts rate limits and caches results on its own'],
  ],
  [
    'one secret for two purposes',
    { KEY_PEPPER: PEPPER, AUTH_SECRET: PEPPER },
    ['warning AUTH_SECRET: is the same as KEY_PEPPER; write another secret'],
  ],
  [
    'an address of metrics without a port',
    { METRICS_HOST: '0.0.0.0' },
    ['warning METRICS_HOST: has no effect without METRICS_PORT'],
  ],
  [
    'targets of development',
    { SCAN_ALLOW: '127.0.0.1' },
    ['warning SCAN_ALLOW: opens addresses that are not public; remove it outside of development'],
  ],
  [
    'no port of ordinary sites',
    { SCAN_PORTS: '8080' },
    ['warning SCAN_PORTS: contains neither 80 nor 443, so ordinary sites cannot be scanned'],
  ],
  [
    'a weak pepper',
    { KEY_PEPPER: 'p'.repeat(32) },
    [
      'risk KEY_PEPPER: is one repeated character, so keys could be guessed from a stolen database; replace it with KEY_PEPPER_OLD',
    ],
  ],
  [
    'a weak secret',
    { AUTH_SECRET: 'changeme'.repeat(4) },
    [
      'risk AUTH_SECRET: is a repeated text, so sessions could be forged; write another one, such as the output of `openssl rand -base64 32`',
    ],
  ],
  [
    'data that others can open',
    { DATA_DIR: join(folder, 'open') },
    [`risk DATA_DIR: other users can open ${join(folder, 'open')} (mode 0755); run chmod 700 on it`],
  ],
  [
    'a misspelled setting',
    { SCAN_ALOW: '127.0.0.1' },
    ['warning SCAN_ALOW: is not a setting; did you mean SCAN_ALLOW?'],
  ],
  [
    'a file for a setting that is not a secret',
    { MAIL_FROM_FILE: '/run/x' },
    ['warning MAIL_FROM_FILE: is not a setting, because only secrets are read from files; write MAIL_FROM'],
  ],
])('warned: %s', (_, env, advised) => {
  expect(start(env)).toEqual({ refused: [], advised })
})

describe('whole configurations are started without a warning', () => {
  test.each<[string, Env]>([
    ['the default', {}],
    ['a public node', PUBLIC],
    [
      'a node with everything',
      { ...PUBLIC, ...MONGO, ...MAIL, REDIS_URL, AUTH_SECRET: SECRET, SIGNUP: 'open', ADMIN_EMAILS: 'a@a.example' },
    ],
    ['a name in the local network', { HOST: '0.0.0.0', ALLOWED_HOSTS: 'siteprint.lan' }],
    ['a proxy that does not report addresses', { ...PUBLIC, TRUST_PROXY: '0' }],
    ['a new folder', { DATA_DIR: join(folder, 'new') }],
    ['a folder that is not used', { ...MONGO, REDIS_URL, PORTAL: 'off', DATA_DIR: join(folder, 'open') }],
    [
      'the settings of the image',
      { HOST: '0.0.0.0', PORT: '3000', NODE_ENV: 'production', PUBLIC_URL: 'http://localhost:3000' },
    ],
  ])('%s', (_, env) => {
    expect(start(env)).toEqual({ refused: [], advised: [] })
  })
})

test('no advice contains a value', () => {
  const env = {
    SCAN_ALOW: 'hunter2',
    SMTP_HOST: 'hunter2',
    KEY_PEPPER: 'hunter2'.repeat(5),
    MAIL_FROM: 'hunter2@a.example',
  }
  const { advised } = start(env)
  expect([advised.length, advised.join()]).toEqual([4, expect.not.stringContaining('hunter2')])
})
