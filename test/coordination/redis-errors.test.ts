import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test, vi } from 'vitest'
import { openConnection } from '../../src/coordination/redis/connection.ts'
import { buildConnectionError } from '../../src/coordination/redis/errors.ts'

test.each<[string, Error | undefined, boolean, RegExp]>([
  ['no error yet', undefined, false, /^no connection yet: check that Redis is running/],
  ['no error yet, with TLS', undefined, true, /^no connection yet: REDIS_URL begins with rediss:\/\/; check/],
  ['WRONGPASS', new Error('WRONGPASS invalid username-password pair'), false, /: check the user and password of REDIS/],
  ['NOAUTH', new Error('NOAUTH Authentication required.'), true, /: check the user and password of REDIS_URL$/],
  [
    'a connection without TLS to a server with TLS',
    new Error('Socket closed unexpectedly'),
    false,
    /: .*; use rediss:\/\/ if/,
  ],
  ['a timeout with TLS', new Error('Connection timeout'), true, /: REDIS_URL begins with rediss:\/\/; check/],
  [
    'an untrusted certificate',
    new Error('self-signed certificate'),
    true,
    /: the certificate of the server is not trusted/,
  ],
  [
    'an invalid database number',
    new Error('ERR DB index is out of range'),
    false,
    /: check the number of the database in REDIS_URL$/,
  ],
  [
    'a port without a server',
    new Error('connect ECONNREFUSED 127.0.0.1:1'),
    false,
    /ECONNREFUSED.*: check that Redis is running/,
  ],
])('%s', (_, error, isTls, expected) => {
  expect(buildConnectionError(error, { isTls }).message).toMatch(expected)
})

test('with rediss:// and a server without TLS, the first call reports the cause', async () => {
  const server = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const opening = openConnection({ url: `rediss://:hunter2@127.0.0.1:${port}` })
  await vi.advanceTimersByTimeAsync(1000)
  const connection = await opening
  const error = await connection.run({ sha: '', text: '' } as never, [], []).catch((cause: Error) => cause)
  expect(error).toMatchObject({ message: expect.stringContaining('check that the server supports TLS on this port') })
  expect(String(error)).not.toContain('hunter2')
  await connection.close()
  server.close()
})
