import fc from 'fast-check'
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { QuickTokenizer } from '../../src/engine/page/quick-tokenizer.ts'
import { countRuns } from '../support/property-runs.ts'

/** Collects all events of a tokenizer for a document in pieces. */
function collectEvents(Reader: typeof Tokenizer, pieces: readonly string[], decodeEntities: boolean): unknown[] {
  const events: unknown[] = []
  const record =
    (name: string | symbol) =>
    (...places: unknown[]) =>
      void events.push([name, ...places])
  const callbacks = new Proxy({}, { get: (_, name) => record(name) }) as TokenizerCallbacks
  const reader = new Reader({ decodeEntities }, callbacks)
  for (const piece of pieces) reader.write(piece)
  reader.end()
  return events
}

describe('documents', () => {
  const marks =
    '< > / = " \' & - ! ? [ ] a b <p <p> </p> <a\tx=" <i\tx=\' <b\tx=y <!-- --> --!> <!--> <![CDATA[ ]]> <!doctype <? <script> </script> </script <style> </style> <title> </title> <textarea> </textarea> <xmp> <plaintext> é 中 &amp; &lt'
  const piece = fc
    .array(fc.constantFrom(' ', '\n', '\0', ...marks.split(' ')), { maxLength: 25 })
    .map((all) => all.join(''))

  test("cause the same events as with htmlparser2's own tokenizer", { tags: ['property'] }, () => {
    const property = fc.property(fc.array(piece, { maxLength: 3 }), fc.boolean(), (pieces, decodeEntities) => {
      expect(collectEvents(QuickTokenizer, pieces, decodeEntities)).toEqual(
        collectEvents(Tokenizer, pieces, decodeEntities),
      )
    })
    fc.assert(property, { numRuns: countRuns(3000) })
  })

  test('htmlparser2 still has the method that is replaced', () => {
    expect(Object.keys(Object.getOwnPropertyDescriptors(Tokenizer.prototype))).toContain('fastForwardTo')
  })
})
