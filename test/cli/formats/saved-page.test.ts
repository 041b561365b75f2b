import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSavedPage } from '../../../src/cli/formats/saved-page.ts'
import { buildPage } from '../../../src/index.ts'
import { writeFolder } from '../../support/rule-folder.ts'

const folder = writeFolder({})
const [html, headers] = [join(folder, 'page.html'), join(folder, 'headers.json')]

describe('the charset of a saved page', () => {
  const TITLE = '<title>acme é</title>'
  const OLDER_META = '<meta http-equiv="content-type" content="text/html; charset=iso-8859-2"><title>acme \xb1</title>'
  const marked = (text: string, encoding: BufferEncoding): Buffer => Buffer.from(`\ufeff${text}`, encoding)
  test.each<[string, Buffer, string | null, string]>([
    ['a byte order mark wins over the header', marked(TITLE, 'utf8'), 'iso-8859-1', 'acme é'],
    ['a byte order mark of UTF-16', marked(TITLE, 'utf16le'), null, 'acme é'],
    ['the header wins over the meta', Buffer.from(`<meta charset="windows-1252">${TITLE}`), 'UTF-8', 'acme é'],
    ['the meta', Buffer.from(`<meta charset="utf-8">${TITLE}`), null, 'acme é'],
    ['the older meta', Buffer.from(OLDER_META, 'latin1'), null, 'acme ą'],
    ['an unknown charset in the header', Buffer.from('<title>acme \x80</title>', 'latin1'), 'utf-99', 'acme €'],
    ['none: windows-1252', Buffer.from('<title>acme \x80 \xe9</title>', 'latin1'), null, 'acme € é'],
  ])('%s', async (_, bytes, charset, title) => {
    writeFileSync(html, bytes)
    writeFileSync(headers, JSON.stringify({ 'content-type': `text/html${charset ? `; charset=${charset}` : ''}` }))
    expect(buildPage(await readSavedPage({ html, headers })).title).toBe(title)
  })
})

test.each<[form: string, text: string, headers: unknown]>([
  ['an object', '{ "Server": "a", "set-cookie": ["a=1", "b=2"] }', { Server: 'a', 'set-cookie': ['a=1', 'b=2'] }],
  [
    'pairs',
    '[["Server", "a"], ["set-cookie", "a=1"]]',
    [
      ['Server', 'a'],
      ['set-cookie', 'a=1'],
    ],
  ],
  ['a byte order mark before it', '\ufeff{ "server": "a" }', { server: 'a' }],
])('the headers of a saved page are read from %s', async (_, text, expected) => {
  writeFileSync(html, '')
  writeFileSync(headers, text)
  const page = await readSavedPage({ html, headers })
  expect(page.headers).toEqual(expected)
  expect(buildPage(page).headers?.some(([name, value]) => name === 'server' && value === 'a')).toBe(true)
})
