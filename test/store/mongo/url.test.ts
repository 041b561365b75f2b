import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { SetupError } from '../../../src/errors.ts'
import { openMongo } from '../../../src/store/mongo/mongo.ts'

const PASSWORD = 's3cr3t'

// None of these URLs leads to a connection.
test.each([
  ['another scheme', `http://me:${PASSWORD}@127.0.0.1/`, /is not a MongoDB connection string/],
  ['no host name', 'mongodb://', /is not a MongoDB connection string/],
  ['a bare @ in the password', `mongodb://me:${PASSWORD}@${PASSWORD}@127.0.0.1/`, /characters of the password as %XX/],
  ['an unknown option', `mongodb://me:${PASSWORD}@127.0.0.1/?${PASSWORD}=1`, /an option .* check the names after/],
  ['a misspelt option', `mongodb://me:${PASSWORD}@127.0.0.1/?retryWrite=true`, /did you mean "retryWrites"\?$/],
  [
    'an option with an invalid value',
    `mongodb://me:${PASSWORD}@127.0.0.1/?tls=${PASSWORD}`,
    /invalid value of the option "tls"/,
  ],
  [
    'an unknown read preference',
    `mongodb://me:${PASSWORD}@127.0.0.1/?readPreference=${PASSWORD}`,
    /of the option "readPreference"/,
  ],
  ['an option given twice', `mongodb://me:${PASSWORD}@127.0.0.1/?w=1&w=2`, /an option that .* rejects/],
  ['a colon in the password', `mongodb://me:${PASSWORD}:x@127.0.0.1/`, /characters of the password as %XX/],
  ['a question mark in the password', `mongodb://me:${PASSWORD}?x=1@127.0.0.1/`, /of the password as %XX/],
  ['a password that cannot be decoded', `mongodb://me:${PASSWORD}%zz@127.0.0.1/`, /of the password as %XX/],
  ['a port with mongodb+srv', `mongodb+srv://me:${PASSWORD}@a.invalid:1/`, /takes one host name and no port/],
  ['an empty URL', '', /is not a MongoDB connection string/],
])('opening fails with %s', async (_, url, expected) => {
  const error = await openMongo({ url }).then(
    () => new Error('the store was opened'),
    (cause: Error) => cause,
  )
  expect(error).toBeInstanceOf(SetupError)
  expect(error.message).toMatch(expected)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD)
})
