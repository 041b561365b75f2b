import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { findUnshare, NAMESPACE, runInside } from '../support/network-namespace.ts'
import { skipSuite } from '../support/report-skipped.ts'
import { certificateFile } from './scene.ts'
import { FOREIGN_VECTORS } from './stages.ts'

const SUITE = 'attacks on the address policy with real sockets'
const hasVectors = existsSync(join(projectFolder(), '..', 'shared', 'vectors', 'ssrf.json'))
if (!hasVectors) skipSuite(SUITE, FOREIGN_VECTORS)
const way = hasVectors ? findUnshare() : null
if (hasVectors && way === null) skipSuite(SUITE, NAMESPACE)

test.skipIf(way === null)('in a network namespace, sockets reach only the addresses that are permitted', async () => {
  const output = await runInside(way ?? [], 'test/fetch/vectors.test.ts', {
    NODE_EXTRA_CA_CERTS: fileURLToPath(certificateFile),
    NODE_USE_ENV_PROXY: '1', // Newer versions of Node read it once, at startup.
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
  })
  expect(output).toMatch(/Tests\s+217 passed/)
})
