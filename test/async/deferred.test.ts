import { expect, test } from 'vitest'
import { createDeferred } from '../../src/async/deferred.ts'

test('the first call settles the promise', async () => {
  const { promise, resolve, reject } = createDeferred<number>()
  resolve(1)
  resolve(2)
  reject(new Error('late'))
  expect(await promise).toBe(1)
})

test('a rejection passes the reason on', async () => {
  const { promise, reject } = createDeferred<number>()
  reject('reason')
  await expect(promise).rejects.toBe('reason')
})
