import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAX_TAG_CHARACTERS, MAX_TAGS } from '../../src/engine/page/container/container-types.ts'
import { BODY_BOUNDS, MAX_BODY_BYTES } from '../../src/engine/page/select-bodies.ts'
import {
  MAX_EVIDENCE,
  MAX_EVIDENCE_TEXT,
  MAX_TECHNOLOGIES,
  MAX_TITLE,
  MAX_URL,
  MAX_VERSION,
  MAX_WARNING,
  MAX_WARNINGS,
} from '../../src/engine/text/bounds.ts'
import { EVIDENCE } from '../../src/fetch/evidence-kinds.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { MAX_URL_LENGTH } from '../../src/fetch/target.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { LATE_CACHE_MS } from '../../src/service/cache-entry.ts'
import { MAX_SCANS_PER_HOST } from '../../src/service/scan-limiter.ts'

const text = readFileSync(join(projectFolder(), 'docs', 'fetching.md'), 'utf8').replace(/\s+/g, ' ')
const policy = DEFAULT_POLICY
const KIB = 1024
const MIB = 1024 * KIB

test.each<[name: string, sentence: string]>([
  ['length of a submitted URL', `URLs of more than ${MAX_URL_LENGTH.toLocaleString('en-US')} characters`],
  ['ports', `The **port** must be ${policy.ports.join(', ')} or the default port`],
  ['redirects', `at most ${policy.maxRedirects} of them`],
  ['redirects, in the table', `| redirects | ${policy.maxRedirects} |`],
  ['deadline', `to the last byte | ${policy.deadlineMs / 1000} s |`],
  ['headers', `| headers | ${policy.maxHeaderBytes / KIB} KiB |`],
  ['body as transferred', `| body as transferred | ${policy.maxWireBytes / MIB} MiB |`],
  ['body after decompression', `if Node supports it) | ${policy.maxBodyBytes / MIB} MiB |`],
  ['requests of one slot', 'at most three concurrent requests'],
  ['slots of a host', `A host has ${MAX_SCANS_PER_HOST} slots in the service`],
  ['time of side evidence', `Each has at most ${policy.evidenceMs / 1000} s`],
  ['time of side evidence after the body', `${policy.evidenceAfterBodyMs} ms after the body`],
  [
    'scripts',
    `| ${BODY_BOUNDS.script.count}, ${MAX_BODY_BYTES / MIB} MiB each after decompression, ${BODY_BOUNDS.script.totalBytes / MIB} MiB in total |`,
  ],
  ['tag containers', `| ${BODY_BOUNDS.container.count}, ${MAX_BODY_BYTES / MIB} MiB each after decompression |`],
  ['tags', `| ${MAX_TAGS.toLocaleString('en-US')}; ${MAX_TAG_CHARACTERS / MIB} Mi characters,`],
  ['style sheets', `| ${BODY_BOUNDS.style.count}, ${BODY_BOUNDS.style.totalBytes / KIB} KiB in total |`],
  ['time of scripts and style sheets', `| ${policy.bodiesAfterPageMs / 1000} s after the body of the page |`],
  ['cache of a result without them', `the result is cached for ${LATE_CACHE_MS / 60_000} minutes`],
  ['kinds of side evidence', `\`--skip ${EVIDENCE.join()}\``],
  ['a version', `| a version; the title of a page | ${MAX_VERSION} characters; ${MAX_TITLE} characters`],
  ['lists of a result', `| ${MAX_TECHNOLOGIES}, ${MAX_EVIDENCE}, ${MAX_WARNINGS} | a warning |`],
  ['texts in the evidence', `${MAX_EVIDENCE_TEXT / KIB} Ki in total`],
  ['a warning', `| ${MAX_WARNING} characters;`],
  ['URL of a result', `| \`url\` of a result | ${MAX_URL.toLocaleString('en-US')} characters |`],
])('docs/fetching.md states the limit of the code: %s', (_, sentence) => {
  expect(text).toContain(sentence)
})

test('the number of concurrent requests to one host is the number of connections', () => {
  expect(policy.connections).toBe(3)
})
