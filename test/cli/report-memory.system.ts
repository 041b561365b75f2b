import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readResults } from '../../src/cli/report/read-results.ts'
import { measureMemory } from '../support/measure-memory.ts'
import { writeFolder } from '../support/rule-folder.ts'

test('long texts and many names do not stay in memory', async () => {
  const file = join(writeFolder({}), 'long.jsonl')
  const lines = Array.from({ length: 20 }, (_, i) => {
    const long = `${i}${'x'.repeat(500_000)}`
    const url = `https://a${i}.example/${long}`
    const names = { builder: long, hosting: long, siteType: long, technologies: [long, `${long}y`] }
    return `${JSON.stringify({ url, result: { url, confidence: 'high', isAiNative: false, ...names } })}\n`
  })
  writeFileSync(file, lines.join(''))
  lines.length = 0
  const before = measureMemory()
  const results = await readResults([file], new Set())
  expect(results.sites.size).toBe(20)
  expect(measureMemory() - before).toBeLessThan(3_000_000)
})
