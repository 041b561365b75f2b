import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtProject } from '../support/built-project.ts'

/** Runs the command of the package, as it is in a checkout. */
function siteprint(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { folder } = builtProject()
  const child = spawn(process.execPath, [join(folder, 'dist', 'src', 'siteprint.js'), ...args], {
    cwd: folder,
    env: { PATH: '' },
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, ...texts }))
  })
}

test('prints its help without arguments, and the help of a command in its own words', async () => {
  const help = await siteprint()
  expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('siteprint https://example.org') })
  const batches = await siteprint('batches', '--help')
  expect(batches.stdout).toContain('  siteprint batches show <id>')
  const keys = await siteprint('keys', '--help')
  expect(keys.stdout).toContain('  siteprint keys create --name N')
  expect(keys.stdout).not.toContain('npm run')
})

test('prints the versions of itself and of its rules', async () => {
  const { version } = JSON.parse(readFileSync(join(builtProject().folder, 'package.json'), 'utf8'))
  expect((await siteprint('--version')).stdout).toMatch(
    new RegExp(`^siteprint ${version}, ruleset [0-9a-f]{16} of \\d{4}-\\d{2}-\\d{2}\\n$`),
  )
})

test.each([
  [['scn'], 'unknown command "scn"; did you mean "scan"'],
  [['keys', 'lst'], 'unknown verb "lst"'],
  [['serve', 'now'], 'siteprint serve takes no arguments'],
  [['--htm', 'page.html'], "Unknown option '--htm'"],
  [['example'], 'unknown command "example"'],
  [['http:example'], 'A site must be a domain'],
])('%j is an error that says what to write', async (args, sentence) => {
  const { code, stdout, stderr } = await siteprint(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(sentence)
})

test('scans a saved page without naming a command, as JSON where the output is not a terminal', async () => {
  const { code, stdout } = await siteprint('--html', 'examples/page.html')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ builder: 'v0', confidence: 'high' })
})
