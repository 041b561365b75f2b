import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openCsvSites, type SiteRow } from '../../src/cli/scan/csv-sites.ts'
import { openListInput } from '../../src/cli/scan/list-input.ts'
import { writeFolder } from '../support/rule-folder.ts'

const folder = writeFolder({})

async function read(content: string | Uint8Array, column = 'domain'): Promise<{ names: string[]; rows: SiteRow[] }> {
  const file = join(folder, 'sites.csv')
  writeFileSync(file, content)
  const input = await openListInput(file, {})
  onTestFinished(() => input.close())
  const { carried, rows } = await openCsvSites(input, column)
  const found: SiteRow[] = []
  for await (const row of rows()) found.push(row)
  return { names: carried.map(({ name, csvName }) => (name === csvName ? name : `${name} → ${csvName}`)), rows: found }
}

const plain = 'company,domain,country\nAcme,acme.com,DE\nTide,tide.example,FR\n'
const expected = [
  { site: 'acme.com', input: { company: 'Acme', country: 'DE' } },
  { site: 'tide.example', input: { company: 'Tide', country: 'FR' } },
]

describe('a CSV file is read', () => {
  test.each<[string, string | Uint8Array]>([
    ['with commas', plain],
    ['with semicolons', plain.replaceAll(',', ';')],
    ['with tabs', plain.replaceAll(',', '\t')],
    ['with |', plain.replaceAll(',', '|')],
    ['with Windows line ends and a byte order mark', `\ufeff${plain.replaceAll('\n', '\r\n')}`],
    ['with old Mac line ends', plain.replaceAll('\n', '\r')],
    ['with mixed line ends, without the last one', 'company,domain,country\r\nAcme,acme.com,DE\nTide,tide.example,FR'],
    ['with quoted cells', plain.replaceAll(/[^,\n]+/g, '"$&"')],
    ['in UTF-16, as Excel writes Unicode text', Buffer.from(`\ufeff${plain.replaceAll(',', '\t')}`, 'utf16le')],
    ['in UTF-16 with the other byte order', Buffer.from(`\ufeff${plain}`, 'utf16le').swap16()],
    ['with the line in which Excel names the delimiter', `sep=;\r\n${plain.replaceAll(',', ';')}`],
    ['with empty lines and rows', `\n${plain.replace('\nTide', '\n\n,,\n , ,\nTide')}\n,,\n`],
    ['with white space around sites', plain.replace('acme.com', '  acme.com ')],
    ['with a row that ends early, and one with empty cells too many', `${plain.replace(',DE\n', ',DE,,\n')}`],
  ])('%s', async (_, content) => {
    const { names, rows } = await read(content)
    expect({ names, rows }).toEqual({ names: ['company', 'country'], rows: expected })
  })

  test('with delimiters, quotes and line ends in cells, and other delimiters in the header', async () => {
    const { rows } = await read('"a;b;c",domain\n"x, ""y""\r\nz",acme.com\n')
    expect(rows).toEqual([{ site: 'acme.com', input: { 'a;b;c': 'x, "y"\r\nz' } }])
  })

  test('with only one column, and cells that are missing', async () => {
    expect(await read('domain\nacme.com\n')).toEqual({ names: [], rows: [{ site: 'acme.com', input: {} }] })
    expect((await read('domain,a,b\nacme.com\n')).rows).toEqual([{ site: 'acme.com', input: { a: '', b: '' } }])
  })
})

test.each<[wanted: string, header: string, names: string[]]>([
  ['domain', 'domain,url,Status,x', ['url → input_url', 'Status → input_Status', 'x']],
  ['Domain', 'domain,x', ['x']],
  ['domain', 'DOMAIN,domain,x', ['DOMAIN', 'x']],
  [' domain ', ' domain ,x', ['x']],
  ['domain', 'domain,,x,X,x', ['column_2', 'x', 'X_2', 'x_3']],
  ['domain', 'domain,url,input_url', ['url → input_url', 'input_url → input_url_2']],
  [
    'domain',
    'domain,id,recordId,technologies',
    ['id → input_id', 'recordId → input_recordId', 'technologies → input_technologies'],
  ],
])('the column %j of %j; the others are %j', async (wanted, header, names) => {
  expect((await read(`${header}\n`, wanted)).names).toEqual(names)
})

test.each<[string, string | Uint8Array, string, string]>([
  [
    'an unknown column',
    plain,
    'domian',
    'has no column "domian" (did you mean "domain"?); its columns are "company", "domain", "country"',
  ],
  ['a column of another delimiter', plain.replaceAll(',', ';'), 'x', 'its columns are "company", "domain", "country"'],
  ['two columns of the name', 'domain,a,domain\n', 'domain', '2 columns of'],
  [
    'two columns that differ in case',
    'Domain,DOMAIN\n',
    'domain',
    'have the name "domain": rename one; its columns are "Domain", "DOMAIN"',
  ],
  ['an empty file', '', 'domain', 'has no header: its first row must name the columns'],
  [
    'too many cells',
    'domain,a\nacme.com,1\nb.com,1,2\n',
    'domain',
    'the row that ends in line 3 has 3 cells, but the header has 2',
  ],
  ['a quote that is never closed', 'domain,a\n"acme.com,1\n', 'domain', 'is not valid CSV: Quote Not Closed'],
  ['a quote inside of a cell', 'domain,a\nacme.com,5" disk\n', 'domain', 'is not valid CSV: Invalid Opening Quote'],
  [
    'another encoding',
    Buffer.from('domain,a\nacme.com,M\xfcller\n', 'latin1'),
    'domain',
    'is not in UTF-8: save it again as "CSV UTF-8"',
  ],
])('%s is an error', async (_, content, column, sentence) => {
  await expect(read(content, column)).rejects.toThrow(sentence)
})
