import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { writeFolder } from '../support/rule-folder.ts'

const project = smallProject()
const cwd = writeFolder({})

describe('memory', () => {
  // Few tags, because these tests are about the size of pages, and tags take most of the time.
  const body = '<div class="a b"><p>words of a page</p><img src="/a.png"></div>'.repeat(100)
  const page = { id: 'a', html: `<title>x</title>${body}<!--${'x '.repeat(47_000)}-->` }
  const megabyte = gzipSync(`${JSON.stringify(page)}\n`.repeat(10))
  const showPeak = "process.on('exit', () => process.stderr.write('\\n' + process.resourceUsage().maxRSS))"

  async function peakMegabytes(length: number): Promise<number> {
    writeFileSync(join(cwd, 'big.jsonl.gz'), Buffer.concat(Array(length).fill(megabyte)))
    // A small heap forces collection, so that the peak shows what is retained and not what is waiting to be collected.
    const room = ['--max-old-space-size=64', '--max-semi-space-size=8']
    const node = [...room, '--import', `data:text/javascript,${encodeURIComponent(showPeak)}`]
    const { code, stderr } = await project.spawn(
      'scan',
      ['--batch', 'big.jsonl.gz', '--out', 'big.jsonl', '--overwrite'],
      {
        cwd,
        node,
      },
    )
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 0, first: `${length * 10} pages, 0 failed` })
    return Number(stderr.split('\n').at(-1)) / 1024
  }

  test('does not grow with the input', async () => {
    const [short, long] = [await peakMegabytes(15), await peakMegabytes(120)]
    expect(short).toBeGreaterThan(20)
    expect(long - short).toBeLessThan(60)
  })
})

test('a reader that closes the pipe early is not an error', async () => {
  writeFileSync(
    join(cwd, 'many.jsonl'),
    `${JSON.stringify({ id: 'a', html: '<meta name="generator" content="WordPress 6.6">' })}\n`.repeat(20_000),
  )
  const args = [
    ...NODE_ARGS,
    join(project.folder, 'tools', 'start.mjs'),
    'src/cli/run',
    'scan',
    '--batch',
    'many.jsonl',
  ]
  const child = spawn(process.execPath, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  child.stdout.once('data', () => child.stdout.destroy())
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})
