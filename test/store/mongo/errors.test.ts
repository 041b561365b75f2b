import { MongoNetworkError } from 'mongodb'
import { expect, test } from 'vitest'
import { toStoreError } from '../../../src/store/mongo/errors.ts'
import { StoreError } from '../../../src/store/types.ts'

test.each([
  ['an error of the driver', new MongoNetworkError('connection 3 closed'), true],
  ['a broken pipe', Object.assign(new Error('ended by the other party'), { code: 'EPIPE' }), true],
  [
    'a stream that has ended',
    Object.assign(new Error('write after end'), { code: 'ERR_STREAM_WRITE_AFTER_END' }),
    true,
  ],
  ['an invalid argument', Object.assign(new TypeError('not a string'), { code: 'ERR_INVALID_ARG_TYPE' }), false],
  ['a bug', new TypeError('cannot read properties'), false],
])('%s is a StoreError: %s', (_, error, isStoreError) => {
  const translated = toStoreError(error)
  if (isStoreError) expect(translated).toBeInstanceOf(StoreError)
  else expect(translated).toBe(error)
})
