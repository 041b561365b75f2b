import { describe, expect, test } from 'vitest'
import { buildLine } from '../../src/cli/formats/scan-record.ts'
import { scanLine } from '../../src/cli/scan/scan-batch.ts'
import { EMPTY_MATCHER } from '../support/empty-matcher.ts'

describe('an invalid line is reported with its id or its number', () => {
  test.each([
    ['not JSON', '{"id":"a",', { line: 7 }, 'the line is not valid JSON: '],
    ['a list', '[]', { line: 7 }, 'the line must be a JSON object'],
    ['null', 'null', { line: 7 }, 'the line must be a JSON object'],
    ['no id', '{"html":""}', { line: 7 }, 'id must be a string'],
    ['a number for an id', '{"id":7}', { line: 7 }, 'id must be a string'],
    ['an invalid url', '{"id":"a","url":"acme.com"}', { id: 'a' }, 'url must be an absolute http or https URL'],
    ['a url of another scheme', '{"id":"a","url":"data:text/html,x"}', { id: 'a' }, 'url must be an absolute http or'],
    ['a number for a url', '{"id":"a","url":5}', { id: 'a' }, 'url must be a string or null'],
    ['an invalid status', '{"id":"a","status":99}', { id: 'a' }, 'status must be an HTTP status code or null'],
    ['a text for a status', '{"id":"a","status":"200"}', { id: 'a' }, 'status must be an HTTP status code or null'],
    [
      'headers by name',
      '{"id":"a","headers":{"server":"x"}}',
      { id: 'a' },
      'headers must be a list of [name, value] or',
    ],
    [
      'a header without value',
      '{"id":"a","headers":[["server"]]}',
      { id: 'a' },
      'headers must be a list of [name, value] or',
    ],
    [
      'a header of numbers',
      '{"id":"a","headers":[["age",1]]}',
      { id: 'a' },
      'headers must be a list of [name, value] or',
    ],
    ['a list for a page', '{"id":"a","html":["x"]}', { id: 'a' }, 'html must be a string or null'],
    ['bytes that are not UTF-8', '{"id":"\ufffd"}', { line: 7 }, 'the line is not valid UTF-8'],
    ['a line over the limit', null, { line: 7 }, 'the line is longer than '],
  ])('%s', async (_, text, about, sentence) => {
    const record = await scanLine(
      { number: 7, text, isUtf8: !text?.includes('\ufffd') },
      { matcher: EMPTY_MATCHER, include: [] },
    )
    expect(buildLine(record, false)).toEqual({
      ...about,
      error: expect.stringContaining(sentence),
      code: 'invalid_request',
    })
  })
})
