import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import type { Detector } from '../../src/engine/page/detector.ts'
import { SetupError } from '../../src/errors.ts'
import { findRuleset, listFolders, type RulesetParts } from '../../src/rules/built.ts'
import { computeFingerprint } from '../../src/rules/fingerprint.ts'
import { compileRules, openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'
import { buildSmall } from './small-build.ts'

describe('a damaged built file', () => {
  const damage: [string, (bytes: Buffer) => Buffer][] = [
    ['cut', (bytes) => bytes.subarray(0, -20)],
    ['empty', () => Buffer.alloc(0)],
    ['longer', (bytes) => Buffer.concat([bytes, Buffer.alloc(4)])],
    ['another file', () => Buffer.from('{"format":1}')],
    ['of another format', (bytes) => Buffer.concat([bytes.subarray(0, 4), Buffer.from([99]), bytes.subarray(5)])],
  ]

  test.each(damage)('%s: it is an error without rules, and compiled again with them', (_, change) => {
    const { own, built } = buildSmall()
    writeFileSync(built, change(readFileSync(built)))
    expect(openRuleset({ own, detectors, built }).rules.map(({ name }) => name)).toEqual(['Acme'])
    expect(() => openRuleset({ own: `${own}-none`, detectors, built })).toThrow(SetupError)
  })

  test('with one flipped bit in any place is noticed', () => {
    const { own, built } = buildSmall()
    const bytes = readFileSync(built)
    const step = Math.floor((8 * bytes.length) / 1000)
    const unnoticed: number[] = []
    for (let bit = 0; bit < 8 * bytes.length; bit += step) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] ^= 1 << (bit & 7)
      writeFileSync(built, changed)
      try {
        findRuleset({ own: `${own}-none`, detectors, built })
        unnoticed.push(bit)
      } catch (error) {
        if (!(error instanceof SetupError)) throw error
      }
    }
    expect(unnoticed).toEqual([])
  })

  test.each(damage)('%s: a ruleset that was opened before the damage stays as it was', (_, change) => {
    const { own, built } = buildSmall()
    const ruleset = openRuleset({ own: `${own}-none`, detectors, built })
    const { version } = ruleset
    writeFileSync(built, change(readFileSync(built)))
    expect(ruleset.version).toBe(version)
    expect(ruleset.rules.map(({ name }) => name)).toEqual(['From the build'])
  })
})

describe('files that have not changed since the build are not read', () => {
  const prepare = (): { own: string; built: string; detectors: readonly Detector[]; rule: string } => {
    const { own, built } = buildSmall()
    return { own, built, detectors, rule: join(own, 'builders', 'acme.yaml') }
  }

  test('the version comes from the build', () => {
    const { rule, ...parts } = prepare()
    const { size } = statSync(rule)
    expect(findRuleset(parts).file?.version).toBe(computeFingerprint([parts.own], detectors))
    chmodSync(rule, 0o600)
    expect(statSync(rule).size).toBe(size)
  })

  test.each<[string, (parts: ReturnType<typeof prepare>) => unknown]>([
    [
      'another byte, with the same size and time',
      ({ rule }) => {
        const { atime, mtime } = statSync(rule)
        writeFileSync(rule, readFileSync(rule, 'utf8').replace('acme', 'acne'))
        utimesSync(rule, atime, mtime)
      },
    ],
    ['a rule was renamed', ({ rule }) => renameSync(rule, rule.replace('acme', 'other'))],
    ['a stray file', ({ own }) => writeFileSync(join(own, 'stray.txt'), '')],
    ['another folder', ({ own }) => ({ folders: [dirname(own)] })],
    ['fewer detectors', () => ({ detectors: detectors.slice(1) })],
    ['no built file', ({ built }) => rmSync(built)],
  ])('%s: the version is computed from the content', (_, change) => {
    const parts = prepare()
    const all: RulesetParts = Object.assign({}, parts, change(parts))
    expect(findRuleset(all)).toMatchObject({
      version: computeFingerprint(listFolders(all), all.detectors),
      file: null,
    })
  })

  test('an older copy of the same content is read, and has the version of the build', () => {
    const parts = prepare()
    utimesSync(parts.rule, 1, 1)
    expect(findRuleset(parts).file?.version).toBe(computeFingerprint([parts.own], detectors))
  })
})

describe('rules of an operator', () => {
  const prepare = () => {
    const folder = writeFolder({
      'technologies/analytics/brick.yaml': technology().replaceAll('acme', 'brick').replace('Acme', 'Brick'),
      'technologies/analytics/brick.test.yaml': TEST.replaceAll('acme', 'brick').replaceAll('Acme', 'Brick'),
    })
    return { ...buildSmall(), folders: [folder], detectors, cache: join(folder, '..', `cache-${Date.now()}`) }
  }
  const warnings: string[] = []
  const compile = (parts: RulesetParts) => compileRules(parts, findRuleset(parts), (text) => warnings.push(text))

  test('are kept compiled for the next start', () => {
    const parts = prepare()
    expect(findRuleset(parts).file).toBe(null)
    const { version } = compile(parts)
    expect(findRuleset(parts).file?.version).toBe(version)
    expect(readdirSync(parts.cache)).toContain(`ruleset-${version}.bin`)
    writeFileSync(join(parts.folders[0], 'technologies/analytics/brick.yaml'), technology('url: brick.net'))
    expect(findRuleset(parts).file).toBe(null)
  })

  test('are not read again while their files have the same sizes and times', () => {
    const parts = prepare()
    const { version } = compile(parts)
    const known = readdirSync(parts.cache).find((name) => name.startsWith('folder-'))
    const file = join(parts.cache, String(known))
    const { state } = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ state, rules: 'those of another folder' }))
    expect(findRuleset(parts).version).not.toBe(version)
    writeFileSync(file, '{')
    expect(findRuleset(parts).version).toBe(version)
  })

  test('start without the cache if its folder cannot be written, and say so once', () => {
    const parts = { ...prepare(), cache: '/proc/none/cache' }
    warnings.length = 0
    expect(compile(parts).version).toBe(findRuleset(parts).version)
    expect(warnings).toEqual([expect.stringContaining('could not be kept for the next start')])
  })

  test('with a damaged cache are compiled again', () => {
    const parts = prepare()
    const { version } = compile(parts)
    const file = join(parts.cache, `ruleset-${version}.bin`)
    writeFileSync(file, readFileSync(file).subarray(0, 100))
    expect(findRuleset(parts).file).toBe(null)
    expect(openRuleset(parts).rules.length).toBe(2)
    expect(findRuleset(parts).file?.version).toBe(version)
  })
})
