import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/open/open-store.ts'
import { createAccount } from '../store/create-account.ts'
import { sampleKey } from '../store/sample-key.ts'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

const KEY_PEPPER = 'a pepper of the tests, at least 32'
const ACCOUNT = 'ann@example.org'

/** The commands of operators in docs/operating.md, one line each, without comments. */
const lines = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  .split('\n')
  .flatMap((line) => /^npm run -s (?:keys|accounts|service) -- .*?(?= +#|$)/.exec(line)?.[0] ?? [])
  .map((line) => line.slice('npm run -s '.length))

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})

/** Splits a line as a shell would: words in single quotes may contain spaces. */
function splitLine(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", '')).filter((word) => word !== '--')
}

/** Creates a store with one key without an account, and an account. @returns the id of the key */
async function fillStore(dataDir: string, { hasAccount }: { readonly hasAccount: boolean }): Promise<string> {
  const { store } = await openStore({ dataDir, mongodbUrl: null, keyPepper: KEY_PEPPER }, { role: 'tool' })
  const key = sampleKey()
  await store.keys.createKey(key)
  if (hasAccount) await createAccount(store, { email: ACCOUNT })
  await store.close()
  return key.id
}

describe('commands in docs/operating.md', () => {
  test('are found', () => {
    expect(lines.length).toBeGreaterThan(30)
  })

  test.each(lines)('%s succeeds', async (line) => {
    const folder = writeFolder({})
    const env = {
      DATA_DIR: join(folder, 'data'),
      KEY_PEPPER,
      PUBLIC_URL: 'https://siteprint.example',
      TRUST_PROXY: '1',
    }
    const id = await fillStore(env.DATA_DIR, { hasAccount: !line.startsWith('accounts -- create') })
    const file = join(folder, 'export')
    if (line.includes('import <file>')) {
      await project.run('service', ['export', file], { env })
      env.DATA_DIR = join(folder, 'new')
    }
    if (line.includes('verify olga@'))
      await project.run('accounts', ['create', 'olga@example.org', '--name', 'Olga Operator'], { env })
    const [command, ...args] = splitLine(
      line
        .replace('<id>', id)
        .replace('<file>', file)
        .replace('<folder>', join(folder, 'copy'))
        .replace('<url>', 'https://example.org')
        .replace('accounts -- verify', 'accounts -- verify --yes') // There is no terminal that could answer.
        .replace('2027-01-31', '2099-01-31'), // The date in the document will be in the past one day.
    )
    const { code, stderr } = await project.run(command, args, { env })
    // Without Redis, purge says what to do instead.
    const expected = line.includes('purge') ? { code: 2, stderr: expect.stringContaining('fresh=true') } : { code: 0 }
    expect({ code, stderr }).toMatchObject(expected)
  })
})
