import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOCAL_BLOCK, openSite } from '../service/local-site.ts'
import { makeFolder, startService } from '../service/start-service.ts'
import { smallProject } from '../support/built-project.ts'

test('scan --queue submits a list and follows it; batches lists, shows, cancels and retries', async () => {
  const project = smallProject()
  const site = await openSite()
  const service = await startService(project, { DATA_DIR: makeFolder(), SCAN_ALLOW: LOCAL_BLOCK, LOG_LEVEL: 'warn' })
  const folder = makeFolder()
  const [list, out, csv] = ['list.txt', 'out.jsonl', 'out.csv'].map((name) => join(folder, name))
  const urls = [site.page(1), 'http://printer.lan/', site.page(2)]
  writeFileSync(list, `# A comment\n${urls.join('\n')}\n`)
  const env = { SITEPRINT_URL: service.url, SITEPRINT_KEY: service.key }
  const run = (name: string, ...args: string[]) => project.run(name as 'scan', args, { env })
  const readUrls = (text: string): string[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { readonly url: string }).url)
      .sort()

  // One URL fails, which exit code 1 reports.
  const submitted = await run('scan', '--urls', list, '--queue', '--out', out)
  expect(submitted).toMatchObject({ code: 1, stderr: expect.stringContaining('2 succeeded, 1 failed, 0 waiting') })
  expect(readUrls(readFileSync(out, 'utf8'))).toEqual([...urls].sort())
  const [, id] = /^(\w{20}): completed/m.exec(submitted.stderr) ?? []

  const attached = await run('scan', '--attach', id)
  expect([attached.code, readUrls(attached.stdout)]).toEqual([1, [...urls].sort()])
  expect(await run('batches', 'results', id, '--out', csv)).toMatchObject({ code: 1 })
  const [header, ...rows] = readFileSync(csv, 'utf8').trim().split('\n')
  expect([header.split(',').slice(0, 2), rows.length]).toEqual([['position', 'url'], 3])

  expect((await run('batches', 'list')).stdout).toBe(`${id}: completed, 3 URLs, 2 succeeded, 1 failed, 0 waiting\n`)
  expect(JSON.parse((await run('batches', 'list', '--json')).stdout)).toMatchObject({ id, total: 3 })
  expect(JSON.parse((await run('batches', 'show', id)).stdout)).toMatchObject({ id, status: 'completed' })
  // A batch that has ended stays as it is.
  expect(await run('batches', 'cancel', id)).toMatchObject({ code: 0, stdout: expect.stringContaining('completed') })
  expect(await run('batches', 'retry', id)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 waiting') })

  expect(await run('batches', 'show', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('not_found') })
  const keyless = await project.run('batches' as 'scan', ['list'], { env: { SITEPRINT_URL: service.url } })
  expect(keyless).toMatchObject({ code: 2, stderr: expect.stringContaining('SITEPRINT_KEY is not set') })
})
