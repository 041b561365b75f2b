import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readVersion } from '../../src/cli/command/version.ts'
import { SetupError } from '../../src/errors.ts'
import { builtFile } from '../../src/rules/built.ts'
import type { Conformance } from '../../src/rules/conformance.ts'
import { pickCases } from '../../src/rules/pick-cases.ts'
import { buildRelease, describeRelease, isRelease } from '../../src/rules/release-file.ts'

const HELP = `
Signs the built rules, so that running servers can fetch them (RULES_URL).

  tools/run release-rules --key private.pem --out siteprint.rules
      Writes the rules of the last build, with a selection of their conformance cases, as one signed file.
  tools/run release-rules --new-key private.pem
      Makes a key pair: writes the private half to a new file that only its owner can read, and prints the public half for
      src/rules/release-key.ts or RULES_PUBLIC_KEY. Keep the private half outside of the repository.
`

/**
 * Writes a key pair, or the signed file of a release.
 * @returns what to print
 * @throws SetupError that says what to do; what `parseArgs` throws
 */
export function writeRelease(args: string[]): string {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { key: text, out: text, 'new-key': text, help: { type: 'boolean' } } })
  const { key, out, 'new-key': newKey } = values
  if (newKey !== undefined && key === undefined && out === undefined) return makeKey(newKey)
  if (values.help || newKey !== undefined || key === undefined || out === undefined) return HELP.trim()
  const ruleset = readBuiltFile(join(dirname(builtFile), 'ruleset.json')) as { readonly version: string }
  const { version, pages } = readBuiltFile(join(dirname(builtFile), 'conformance.json')) as Conformance
  const release = { version: ruleset.version, siteprint: readVersion(), date: new Date().toISOString() }
  if (version !== release.version || !isRelease(release))
    throw new SetupError('The built files are of different versions: run npm run -s build')
  const cases = pickCases(pages)
  const file = buildRelease(release, { ruleset, cases }, readKey(key))
  writeFileSync(out, file)
  return `${out}: ${describeRelease(release)}, ${cases.length} of ${pages.length} cases, ${file.length} bytes`
}

function readBuiltFile(file: string): unknown {
  if (!existsSync(file)) throw new SetupError(`${file} is missing: run npm run -s build`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

function readKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(file))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new SetupError(`--key: ${file} cannot be read as a private key (${code ?? message})`)
  }
  throw new SetupError(`--key: ${file} is not an Ed25519 key: make one with --new-key`)
}

function makeKey(file: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  try {
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new SetupError(`--new-key: ${file} cannot be created (${(error as NodeJS.ErrnoException).code})`)
  }
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
}
