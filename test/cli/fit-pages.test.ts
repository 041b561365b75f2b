import { expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

test.each<[name: string, lines: string, message: string]>([
  ['no label', '{"id":"a","html":"<p>"}\n', '--pages: no line has a siteType'],
  ['text', 'page\n', 'pages.jsonl:1: the line is not valid JSON: '],
  ['null', '\nnull\n', 'pages.jsonl:2: the line must be a JSON object'],
  ['an unknown label', '{"id":"a","siteType":"blgo"}\n', 'pages.jsonl:1: no rule has the site type "blgo"'],
  ['an object for an id', '{"id":{"toString":0},"siteType":"other"}\n', 'pages.jsonl:1: id must be a string'],
  ['an object for expect', '{"id":"a","expect":{"siteType":{"toString":0}}}\n', '--pages: no line has a siteType'],
  ['null for expect', '{"id":"a","expect":null}\n', '--pages: no line has a siteType'],
  ['a number for a page', '{"id":"a","siteType":"other","html":7}\n', 'pages.jsonl:1: html must be a string or null'],
  [
    'a label below expect',
    '{"id":"a","expect":{"siteType":"other"},"status":"200"}\n',
    'pages.jsonl:1: status must be',
  ],
  ['a path for a url', '{"id":"a","siteType":"other","url":"/a"}\n', 'pages.jsonl:1: url must be an absolute http'],
])('labelled pages with %s are rejected', async (_, lines, message) => {
  const cwd = writeFolder({ 'pages.jsonl': lines })
  const { code, stderr } = await smallProject().run('rules', ['fit', '--pages', 'pages.jsonl'], { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
