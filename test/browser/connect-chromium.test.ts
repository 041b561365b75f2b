import { describe, expect, test } from 'vitest'
import { findFlagProblem } from '../../src/browser/connect-chromium.ts'
import { NETWORK_FLAGS } from '../../src/browser/network-flags.ts'

const GOOD = ['/usr/bin/chromium', '--headless', '--enable-automation', ...NETWORK_FLAGS, 'about:blank']
const without = (flag: string): readonly string[] => GOOD.filter((arg) => !arg.startsWith(flag))

describe('the command line of a running browser', () => {
  test.each<[string, readonly string[]]>([
    ['with all flags', GOOD],
    ['with other white space', GOOD.map((arg) => arg.replace(' , ', ','))],
    [
      'with a flag twice, of which the last is right',
      [GOOD[0], '--host-resolver-rules=MAP * 127.0.0.1', ...GOOD.slice(1)],
    ],
    ['with words after the flags', [...GOOD, '--', '--no-sandbox', '--single-process']],
  ])('%s is accepted', (_, args) => {
    expect(findFlagProblem(args, true)).toBeNull()
  })

  test.each<[string, readonly string[], RegExp]>([
    ['without any flag', ['chromium'], /Start it also with '--proxy-bypass-list=<-loopback>' .*'--disable-quic'/],
    ...NETWORK_FLAGS.map((flag): [string, readonly string[], RegExp] => [
      `without ${flag.split('=')[0]}`,
      without(flag.split('=')[0]),
      new RegExp(`Start it also with '${flag.replace(/[*.]/g, String.raw`\$&`)}' \\(docs`),
    ]),
    [
      'with a flag twice, of which the last is wrong',
      [...GOOD, '--host-resolver-rules=MAP * 127.0.0.1'],
      /host-resolver/,
    ],
    ['with a flag after the end of flags only', [...without('--disable-quic'), '--', '--disable-quic'], /disable-quic/],
    ['without its sandbox', [...GOOD, '--no-sandbox'], /without its sandbox.*CHROMIUM_SANDBOX=off/],
    ['without web security', [...GOOD, '--disable-web-security'], /could read other sites/],
    ['without certificates', [...GOOD, '--ignore-certificate-errors'], /invalid certificates/],
    ['in one process', [...GOOD, '--single-process'], /share the process/],
  ])('%s is refused', (_, args, sentence) => {
    expect(findFlagProblem(args, true)).toMatch(sentence)
  })

  test('without its sandbox is accepted if the settings say so', () => {
    expect(findFlagProblem([...GOOD, '--no-sandbox'], false)).toBeNull()
  })
})
