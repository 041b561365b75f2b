import { describe, expect, onTestFinished, test } from 'vitest'
import { openPageDetector } from '../../src/detector/detector.ts'
import { PageLimitError } from '../../src/errors.ts'
import { trapRules, trapWorker } from './trap-rules.ts'

describe('a page that harms its worker fails alone', () => {
  test.each([
    ['loop for ever', 500, 'the page took longer than 0.5 s to match'],
    ['eat arrays', 60_000, 'the page needed too much memory to match'],
  ])('%s', async (trap, timeoutMs, message) => {
    const detector = await openPageDetector({ ...trapRules(), worker: await trapWorker(), threads: 1, timeoutMs })
    onTestFinished(() => detector.close())
    const pages = ['harmless', trap, 'harmless'].map((text) => detector.detect({ html: `<p>${text}` }))
    const outcomes = await Promise.allSettled(pages)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    const error = (outcomes[1] as PromiseRejectedResult).reason
    expect(error).toBeInstanceOf(PageLimitError)
    expect(error).toMatchObject({ message, code: 'scan_failed' })
  })
})
