import { MongoNetworkError } from 'mongodb'
import { expect, test } from 'vitest'
import { storeFault } from '../../../src/store/mongo/errors.ts'
import { StoreError } from '../../../src/store/types.ts'

test.each([
  ['of the driver', new MongoNetworkError('connection 3 closed'), true],
  ['a pipe that broke', Object.assign(new Error('ended by the other party'), { code: 'EPIPE' }), true],
  [
    'a stream that has ended',
    Object.assign(new Error('write after end'), { code: 'ERR_STREAM_WRITE_AFTER_END' }),
    true,
  ],
  ['an argument of ours', Object.assign(new TypeError('not a string'), { code: 'ERR_INVALID_ARG_TYPE' }), false],
  ['a fault of ours', new TypeError('cannot read properties'), false],
])('%s: the store is away %s', (_, error, isAway) => {
  const fault = storeFault(error)
  if (isAway) expect(fault).toBeInstanceOf(StoreError)
  else expect(fault).toBe(error)
})
