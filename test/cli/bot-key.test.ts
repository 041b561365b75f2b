import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { derivePublicJwk } from '../../src/fetch/bot-identity.ts'
import { buildPolicy } from '../../src/fetch/policy.ts'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

const folder = writeFolder({ 'empty.pem': '', 'wrong.pem': 'secret text' })
const at = (name: string): string => join(folder, name)
const makeKey = (...args: string[]): Promise<Outcome> => smallProject().run('service', ['bot-key', ...args])

describe('service bot-key', () => {
  test('makes a file for its owner only, which the settings accept, and prints the thumbprint', async () => {
    const { code, stdout, stderr } = await makeKey(at('new.pem'))
    expect(code).toBe(0)
    expect(statSync(at('new.pem')).mode & 0o777).toBe(0o600)
    expect(stderr).toContain(`BOT_KEY_FILE=${at('new.pem')}\n`)
    const config = loadConfig({ BOT_KEY_FILE: at('new.pem'), BOT_DIRECTORY_URL: 'https://bot.example/' })
    const { identity } = buildPolicy(config, '1')
    expect(identity).toMatchObject({ directoryOrigin: 'https://bot.example' })
    expect(identity && derivePublicJwk(identity.key).kid).toBe(stdout.trimEnd())
  })

  test('never replaces a file', async () => {
    writeFileSync(at('old.pem'), 'in use')
    const { code, stdout, stderr } = await makeKey(at('old.pem'))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(`${at('old.pem')} cannot be created: it exists, and a key is never replaced: name a new file\n`)
    expect(readFileSync(at('old.pem'), 'utf8')).toBe('in use')
  })

  test.each([
    ['without a file', [], 'bot-key takes'],
    ['with an empty name', [''], 'bot-key takes <file>'],
    ['in a folder that does not exist', [at('none/new.pem')], 'cannot be created: ENOENT'],
  ])('%s fails', async (_, args, sentence) => {
    const { code, stdout, stderr } = await makeKey(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
  })
})

describe('wrong settings of the key', () => {
  mkdirSync(at('folder'))
  const KEY = 'is not an Ed25519 private key, as PEM or JWK without a password: make one with "service bot-key"'
  const HOST =
    'BOT_DIRECTORY_URL: write the https URL of the host at which this service publishes its key, such as https://siteprint.example, without a path'
  const url = { BOT_DIRECTORY_URL: 'https://bot.example' }
  const good = { BOT_KEY_FILE: at('good.pem') }

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'a file that is missing',
      { ...url, BOT_KEY_FILE: at('none') },
      `BOT_KEY_FILE: the file cannot be read (ENOENT): ${at('none')}`,
    ],
    [
      'a folder',
      { ...url, BOT_KEY_FILE: at('folder') },
      `BOT_KEY_FILE: the file cannot be read (EISDIR): ${at('folder')}`,
    ],
    ['an empty file', { ...url, BOT_KEY_FILE: at('empty.pem') }, `BOT_KEY_FILE: ${at('empty.pem')} ${KEY}`],
    ['another file', { ...url, BOT_KEY_FILE: at('wrong.pem') }, `BOT_KEY_FILE: ${at('wrong.pem')} ${KEY}`],
    ['only the URL', url, 'BOT_KEY_FILE: is required with BOT_DIRECTORY_URL: make a key with "service bot-key"'],
    [
      'only the key',
      good,
      'BOT_DIRECTORY_URL: is required with BOT_KEY_FILE: write the https URL of the host at which sites find the key, such as https://siteprint.example',
    ],
    ['a URL with http', { ...good, BOT_DIRECTORY_URL: 'http://bot.example' }, HOST],
    ['a URL with a path', { ...good, BOT_DIRECTORY_URL: 'https://bot.example/keys' }, HOST],
  ])('%s', async (_, env, sentence) => {
    if (env.BOT_KEY_FILE === good.BOT_KEY_FILE) await makeKey(good.BOT_KEY_FILE) // Only the first call makes it.
    expect(() => loadConfig(env)).toThrow(expect.objectContaining({ message: sentence }))
    const check = await smallProject().run('service', ['check'], { env: { ...env, DATA_DIR: at('data') } })
    expect(check).toMatchObject({ code: 2 })
    expect(check.stdout).toContain(`error    settings  ${sentence}\n`)
  })

  test('a file that only its owner can read is read by its owner', async () => {
    await makeKey(at('own.pem'))
    chmodSync(at('own.pem'), 0o400)
    expect(loadConfig({ ...url, BOT_KEY_FILE: at('own.pem') }).botKey?.type).toBe('private')
  })
})
