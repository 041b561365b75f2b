import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { builder, TEST, writeFolder } from '../support/rule-folder.ts'

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})
const rules = (args: readonly string[]): Promise<Outcome> => project.run('rules', args)

describe('lint has a time limit', () => {
  test('patterns that were not judged are counted, and the next run continues', async () => {
    const pattern = `^acme-${process.pid}-${Date.now()}-(\\d+)`
    const folder = writeFolder({
      'builders/acme.yaml': builder(`{ meta: generator, match: '${pattern}', version: 1 }`).replace('cms', 'blog'),
      'builders/acme.test.yaml': TEST,
    })
    const short = await rules(['lint', folder, '--timeout', '0.000001'])
    expect({ code: short.code, stdout: short.stdout }).toEqual({ code: 1, stdout: '' })
    expect(short.stderr).toMatch(
      /\n\d+ patterns? not judged within 0\.000001 seconds: run lint again to continue, .* --timeout\n$/,
    )
    expect(await rules(['lint', folder])).toMatchObject({ code: 0 })
    expect(await rules(['lint', folder, '--timeout', '0.000001'])).toMatchObject({ code: 0 })
  })

  test('200 patterns of exponential cost are rejected within it', async () => {
    const clauses = Array.from({ length: 200 }, (_, i) => `{ text: word${i}, match: 'w(?:[a-z]{1,9}){1,9}${i}!' }`)
    const folder = writeFolder({
      'builders/acme.yaml': builder(clauses.join('\n  - ')).replace('cms', 'blog'),
      'builders/acme.test.yaml': TEST,
    })
    const { code, stdout, stderr } = await rules(['lint', folder, '--timeout', '60'])
    expect({ code, refused: stdout.match(/ {2}unsafe-pattern$/gm)?.length }).toEqual({ code: 1, refused: 200 })
    expect(stderr).toMatch(/^\d+ rules: 200 findings\n$/)
  })
})
