import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findBodies, openFolder } from '../../../src/cli/formats/saved-files.ts'
import { writeFolder } from '../../support/rule-folder.ts'

describe('files of a folder as a browser saves it', () => {
  const names = ['a b.js', 'style.css'].map((name) => `page_files/${name}`)
  const others = ['page-filer', 'page2_files', 'other'].map((name) => `${name}/x.js`)
  const folder = writeFolder(Object.fromEntries([...names, ...others, 'page.html'].map((path) => [path, path])))
  symlinkSync(join(folder, 'other', 'x.js'), join(folder, 'page_files', 'link.js'))
  symlinkSync(join(folder, 'page_files', 'style.css'), join(folder, 'page_files', 'inner.css'))

  test.each<[string, string | null]>([
    ['page_files/a%20b.js', 'text/javascript; charset=utf-8'],
    ['page_files/a%20b.js?v=2', 'text/javascript; charset=utf-8'],
    ['page_files/style.css', 'text/css; charset=utf-8'],
    ['page_files/inner.css', 'text/css; charset=utf-8'],
    ['page-filer/x.js', 'text/javascript; charset=utf-8'],
    ['page_files/none.js', null],
    ['page_files/', null],
    ['page_files', null],
    ['page_files/link.js', null],
    ['page_files/..%2fother/x.js', null],
    ['page_files/%2e%2e/page.html', null],
    ['page_files/%', null],
    ['page2_files/x.js', null],
    ['other/x.js', null],
    ['page.html', null],
    ['../page_files/style.css', null],
  ])('%s', async (path, type) => {
    const find = await openFolder(join(folder, 'page.html'), 'https://a.example/b/index.html?x')
    expect((await find(`https://a.example/b/${path}`))?.type ?? null).toBe(type)
    expect(await find(`https://other.example/b/${path}`)).toBeNull()
  })
})

test('the scripts and style sheets of a page are found by their absolute URLs', async () => {
  const find = findBodies({
    url: 'https://a.example/b/',
    scripts: [
      { url: 'x.js', text: 'first' },
      { url: 'https://a.example/b/x.js#part', text: 'second' },
      { url: 'gone.js', text: '', missing: 'with status 404' },
      { url: 'https://[broken', text: '' },
    ],
    styles: [{ url: '//cdn.example/y.css', text: 'p {}' }],
  })
  expect(await find('https://a.example/b/x.js')).toEqual({ body: 'first', type: 'text/javascript; charset=utf-8' })
  expect(await find('https://cdn.example/y.css')).toEqual({ body: 'p {}', type: 'text/css; charset=utf-8' })
  for (const other of ['https://a.example/x.js', 'https://a.example/b/gone.js', 'https://a.example/b/'])
    expect(await find(other)).toBeNull()
})
