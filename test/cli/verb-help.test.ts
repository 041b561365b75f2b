import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { main as accounts } from '../../src/cli/accounts.ts'
import { main as batches } from '../../src/cli/batches.ts'
import type { Main } from '../../src/cli/command/command.ts'
import { main as keys } from '../../src/cli/keys.ts'
import { main as rules } from '../../src/cli/rules.ts'
import { main as service } from '../../src/cli/service.ts'

async function readHelp(main: Main, args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  expect(await main([...args], { env: {}, stdout, stderr })).toBe(0)
  stdout.end()
  stderr.end()
  expect(await text(stderr)).toBe('')
  return await text(stdout)
}

/** Command → its main, and the verbs that its help names. */
const COMMANDS: Readonly<Record<string, readonly [main: Main, verbs: string]>> = {
  rules: [rules, 'init lint test dev build explain new diff gaps list search show stats fit import rename'],
  keys: [keys, 'create attach list usage show revoke rotate delete set-plan set-limits set-expiry set-name set-email'],
  service: [service, 'maintenance api audit batches check purge rules bot-key export import backup'],
  accounts: [accounts, 'invite create list verify reset set-plan disable enable delete'],
  batches: [batches, 'list show results cancel retry'],
}

/** How a help names a command and a verb. */
const USAGE = /^ {2}(?:npm run -s (\S+) --|npx siteprint (\S+)) (\S+)/gm

describe.each(Object.entries(COMMANDS))('%s', (command, [main, verbs]) => {
  test('--help describes exactly these verbs', async () => {
    const help = await readHelp(main, ['--help'])
    const named = [...help.matchAll(USAGE)].map(([, , , verb]) => verb)
    expect(new Set(named)).toEqual(new Set(verbs.split(' ')))
  })

  test.each(verbs.split(' '))('%s --help describes this verb alone, and how the command ends', async (verb) => {
    const help = await readHelp(main, [verb, '--help'])
    const named = [...help.matchAll(USAGE)].map(([, script, name, one]) => `${script ?? name} ${one}`)
    const together = verb.startsWith('set-name') || verb === 'set-email' ? ['set-name', 'set-email'] : [verb]
    const switches = verb === 'maintenance' || verb === 'api' ? [verb] : together
    expect(new Set(named)).toEqual(new Set(switches.map((one) => `${command} ${one}`)))
    expect(help).toMatch(/^Exit code: /m)
    // More than the lines of usage: a description.
    expect(
      help
        .split('\nSettings')[0]
        .replace(/^ {2}npm run .*$/gm, '')
        .trim() || help,
    ).toMatch(/\w+ [\s\S]*\./)
    expect(await readHelp(main, [verb, 'x', '-h'])).toBe(help)
  })
})

test('options that several verbs share are in the help of each', async () => {
  expect(await readHelp(rules, ['lint', '--help'])).toMatch(
    /--strict .*\n.*--format name .*\n.*--sarif FILE .*\n.*--timeout seconds/,
  )
  expect(await readHelp(rules, ['test', '--help'])).toMatch(
    /--strict .*\n.*--format name .*\n.*--sarif FILE .*\n.*--timeout seconds/,
  )
  expect(await readHelp(rules, ['explain', '--help'])).toMatch(/--timeout seconds/)
  expect(await readHelp(rules, ['explain', '--help'])).not.toContain('--strict')
  expect(await readHelp(rules, ['new', '--help'])).not.toContain('--timeout')
})
