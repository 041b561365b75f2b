// Notes which mutants each test file reaches. Vitest runs this file before each test file.
import { appendFileSync } from 'node:fs'
import { expect, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** File for lines of JSON: the test file, and the indexes of mutants in a source file. */
    readonly mutationHits: string
  }
}

const known = new Set<string>()
const test = expect.getState().testPath

Object.assign(globalThis, {
  siteprintReach: (file: string, ...indexes: readonly number[]) => {
    const key = `${file} ${indexes}`
    if (known.has(key)) return
    known.add(key)
    appendFileSync(inject('mutationHits'), `${JSON.stringify({ test, file, indexes })}\n`)
  },
})
