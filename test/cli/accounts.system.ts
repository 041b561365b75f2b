import { expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { mongoUrl } from '../support/services.ts'
import { KEY_PEPPER } from './store-scene.ts'

const mongo = mongoUrl('the command accounts')

test.skipIf(mongo === null)('on MongoDB without AUTH_SECRET, links are refused in a sentence', async () => {
  const { code, stderr } = await smallProject().run('accounts', ['invite'], {
    env: { MONGODB_URL: mongo ?? '', KEY_PEPPER },
  })
  expect(code).toBe(2)
  expect(stderr).toBe(
    'AUTH_SECRET is required with MONGODB_URL: write at least 32 characters, the same on every node\n',
  )
})
