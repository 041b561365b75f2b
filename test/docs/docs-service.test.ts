import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAX_MAILS_PER_DAY } from '../../src/accounts/attempts.ts'
import { MAX_WRONG_PER_ACCOUNT } from '../../src/accounts/guesses.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { CACHE_MS } from '../../src/coordination/types.ts'
import { MAX_URL_LENGTH } from '../../src/fetch/target.ts'
import { UNKNOWN_KEYS_A_MINUTE } from '../../src/http/auth.ts'
import { MAX_BODY_BYTES } from '../../src/http/body.ts'
import { SCAN_REQUEST } from '../../src/http/v1/request-schemas.ts'
import { makeSecret, SECRET_PREFIX } from '../../src/keys/key.ts'
import { MAX_FORMS_PER_MINUTE } from '../../src/portal/form-limit.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { LIVE_EXTRAS } from '../../src/scan/extras.ts'
import { Metrics } from '../../src/service/metrics.ts'
import { CATALOGUE, KEY_INFO } from '../../src/service/response-schemas.ts'
import { formatSettings } from '../../tools/service-tables.ts'
import { documentPart } from '../support/document-examples.ts'

const read = (file: string): string => readFileSync(join(projectFolder(), file), 'utf8')
const api = read('docs/api.md')
const operating = read('docs/operating.md')
const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'deploy/README.md',
  ...['api', 'operating', 'command-line', 'library'].map((name) => `docs/${name}.md`),
]

test.each<[what: string, value: number, text: string, words: (value: string) => string]>([
  ['unknown keys', UNKNOWN_KEYS_A_MINUTE, api, (value) => `more than ${value} a minute get 429`],
  ['unknown keys', UNKNOWN_KEYS_A_MINUTE, api, (value) => `without a valid key ${value},`],
  ['unknown keys', UNKNOWN_KEYS_A_MINUTE, operating, (value) => `${value} unknown keys per minute`],
  ['a body', MAX_BODY_BYTES / 1024, api, (value) => `at most ${value} KiB`],
  ['a URL', MAX_URL_LENGTH, api, (value) => `at most ${value} characters`],
  ['the cache', CACHE_MS / 1000, api, (value) => `${value} seconds from the end of the scan`],
  ['wrong passwords', MAX_WRONG_PER_ACCOUNT, operating, (value) => `for one account | ${value} a day`],
  ['forms', MAX_FORMS_PER_MINUTE, operating, (value) => `| ${value} a minute; scans have`],
  ['resets', MAX_MAILS_PER_DAY.reset, operating, (value) => `10 a day: ${value} resets`],
  ['links to log in', MAX_MAILS_PER_DAY['log-in'], operating, (value) => ` ${value} links to log in`],
  ['a checksum', makeSecret().length - SECRET_PREFIX.length - 32, api, (value) => `a checksum of ${value} characters`],
])('the number of %s is that of the code: %d', (_, value, text, words) => {
  expect(text).toContain(words(value.toLocaleString('en-US')))
})

test.each<[what: string, names: readonly string[], text: string]>([
  ['parameters', Object.keys(SCAN_REQUEST.properties), api],
  ['extras', LIVE_EXTRAS, api],
  ['fields of /me', Object.keys(KEY_INFO.properties), api],
  ['fields of /catalogue', Object.keys(CATALOGUE.properties.entries.items.properties), api],
])('the %s are in a table', (_, names, text) => {
  const rows = text.match(/^\| .*$/gm) ?? []
  const missing = names.filter((name) => !rows.some((row) => row.split('|')[1].includes(`\`${name}\``)))
  expect(missing).toEqual([])
})

test('both documents list the ten fields in the order of the response', () => {
  const fields = 'url builder builderSlug confidence category isAiNative technologies hosting siteType cached'.split(
    ' ',
  )
  expect(Object.keys(JSON.parse(documentPart('example')))).toEqual(fields)
  const [table] = api.slice(api.search(/^\| `url` \|.*(?:redirects)/m)).split('\n\n')
  expect(table.match(/^\| `(\w+)`/gm)?.map((cell) => cell.slice(3, -1))).toEqual(fields)
})

test('docs/operating.md documents every metric, and none that does not exist', async () => {
  const metrics = new Metrics()
  metrics.watch(() => {
    const none = { waiting: 0, running: 0 }
    return {
      scans: none,
      workers: none,
      inFlight: 0,
      isRedisUp: true,
      isStoreUp: true,
      switches: { maintenance: false, apiOff: false },
    }
  })
  const known = (await metrics.registry.getMetricsAsJSON()).map(({ name }) => name)
  const documented = [...operating.matchAll(/\b(?:siteprint|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  )
  expect(known.filter((name) => name.startsWith('siteprint_') && !documented.includes(name))).toEqual([])
  expect(documented.filter((name) => !known.includes(name))).toEqual([])
})

const settingNames = Object.values(SETTINGS).map(({ name }) => name)
const fileNames = Object.values(SETTINGS).flatMap(({ name, ...rest }) => ('isSecret' in rest ? [`${name}_FILE`] : []))

/** Environment variables that are not settings. */
const OTHERS = ['REQUIRE_SERVICES', 'NODE_ENV', 'SITEPRINT_KEY']

test.each(documents)('%s names no setting that does not exist', (file) => {
  const named = new Set([...read(file).matchAll(/(?<![\w$/])[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name))
  expect(named.size).toBeGreaterThan(0)
  expect(
    [...named].filter((name) => !settingNames.includes(name) && !fileNames.includes(name) && !OTHERS.includes(name)),
  ).toEqual([])
})

describe('the table of settings', () => {
  test('has a row with default and description for each setting, in the order of the code', () => {
    const rows = formatSettings({ file: 'README.md', text: '' }).split('\n').slice(2)
    expect(rows.map((row) => row.split('`')[1])).toEqual(settingNames)
    expect(rows.flatMap((row) => /, `(\w+)` \|/.exec(row)?.[1] ?? [])).toEqual(fileNames)
    expect(
      rows.filter((row) => !/^\| `([A-Z_]+)`(?:, `\1_FILE`)? \| (?:none|`[^`]+`) \| \S.*\. \|$/.test(row)),
    ).toEqual([])
  })

  test.each([
    ['README.md', '](docs/operating.md#plans)'],
    ['docs/api.md', '](operating.md#plans)'],
    ['docs/operating.md', '](#plans)'],
  ])('links from %s', (file, link) => {
    expect(formatSettings({ file, text: '' })).toContain(link)
  })
})
