import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashSecret } from '../../src/keys/key.ts'
import { openStore } from '../../src/store/open/open-store.ts'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

test('concurrent processes on a new folder create one store with one pepper', async () => {
  const dataDir = join(writeFolder({}), 'at-once')
  const made = await Promise.all(
    Array.from({ length: 5 }, () =>
      smallProject().spawn('keys', ['create', '--name', 'Ann', '--email', 'ann@a.example', '--plan', 'pro'], {
        env: { DATA_DIR: dataDir },
      }),
    ),
  )
  expect(made.map(({ code }) => code)).toEqual(Array(5).fill(0))
  const { store, pepper } = await openStore({ dataDir, mongodbUrl: null, keyPepper: null }, { role: 'server' })
  for (const { stdout } of made) expect(await store.keys.findKey(hashSecret(stdout.trimEnd(), pepper))).not.toBeNull()
  await store.close()
})
