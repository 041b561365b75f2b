import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'

const module = pathToFileURL(join(projectFolder(), 'tools', 'prose', 'find-phrases.mjs')).href
const { findPhrases } = (await import(module)) as {
  readonly findPhrases: (file: string, text: string) => readonly string[]
}

/** Checks a text. @returns place and phrase of each line of the report */
function check(text: string): string[] {
  return findPhrases('text.md', text).flatMap(
    (line) => /^text\.md:(\d+:\d+ {2}"[^"]*"): write \S/.exec(line)?.[1] ?? line,
  )
}

const RETIRED: [phrase: string, sentence: string][] = [
  ['Nobody', 'Nobody waits at the other end.'],
  ['somebody', 'The flag says whether somebody scans.'],
  ['Whoever', 'Whoever comes second is not heard.'],
  ['anew', 'The file is written anew.'],
  ['leave it away', 'Write less, or leave it away.'],
  ['look-ups', 'The metric counts look-ups.'],
  ['is told', 'The client is told within a second.'],
  ['tells of', 'The help tells of every verb.'],
  ['stands in', 'The key stands in the store alone.'],
  ['stand beside', 'The rules stand beside the build.'],
  ['beside', 'The favicon is beside the page.'],
  ['complain', 'There is nothing to complain about.'],
  ['is no p', 'The value is no port.'],
  ['goes by', 'How a word is read goes by its kind.'],
  ['as well', 'MongoDB is closed as well.'],
  ['but for', 'Selectors are equal but for case.'],
  ['flight', 'It ends a flight.'],
  ['lands', 'It is stored when the scan lands.'],
  ['board', 'await shared.board(entry)'],
  ['so many at a time', 'Jobs run so many at a time.'],
  ['nothing comes of', 'A request that nothing comes of is logged.'],
  ['not foreseen', 'log.error("not foreseen")'],
  ['thread was busy', 'It arrived while the thread was busy.'],
  ['at the wish of', 'It is not scanned, at the wish of its owner.'],
  ['any more', 'The link is not valid any more.'],
  ['in between', 'The account was deleted in between.'],
  ['Mostly', 'Mostly the host is missing.'],
  ['the one of', 'Its type is the one of the list.'],
  [', also if', 'It is recorded, also if it fails.'],
  ['further f', 'Later versions have further fields.'],
  ['in your name', 'Programs use the API in your name.'],
  ['Since when', 'Since when the account is suspended.'],
  ['By which', '/** By which attempts are counted. */'],
]

test('every retired phrase is reported with its place', () => {
  const found = check(RETIRED.map(([, sentence]) => sentence).join('\n\n'))
  const expected = RETIRED.map(([phrase, sentence], i) => `${2 * i + 1}:${sentence.indexOf(phrase) + 1}  "${phrase}"`)
  for (const one of expected) expect(found).toContain(one)
})

test('a phrase that continues on the next line of a comment is reported once, where it begins', () => {
  expect(check(' * It continues as\n * well.\n')).toEqual(['1:17  "as well"'])
  expect(check('// The client is\n// told why.\n')).toEqual(['1:15  "is told"'])
})

test.each([
  ['there is no …', 'There is no build, and the limit is no longer reached.'],
  ['a comparison', 'The page is no larger than 4 MiB.'],
  ['as well as', 'It runs on Redis as well\n * as in memory.'],
  ['besides', 'Besides the page, a scan reads robots.txt.'],
  ['in-flight scans', 'Single-flight joins the in-flight scan; a preflight request is free; requests in flight end.'],
  ['a stored key', 'The lock is `siteprint:flight:<digest>`.'],
  ['a landing page', 'The site type is `landing`: a landing page.'],
  ['a contrast', 'Limits hold not for the address but for the host, and not once but for every request.'],
  ['an address', '"email": "nobody@example.com"'],
  ['a substitute', 'The file stands in for a server.'],
  ['any others', 'Lines are not lost; any more are dropped. It does not need any more than that.'],
])('correct English is not reported: %s', (_, text) => {
  expect(check(text)).toEqual([])
})
