import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SetupError } from '../../errors.ts'
import { DIRECTORY_PATH, derivePublicJwk } from '../../fetch/bot-identity.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import type { Given } from '../command/verbs.ts'

/**
 * The verb `bot-key`: writes a new Ed25519 key that signs the requests of scans, and prints what to do with it. A file that exists is
 * never replaced: the key in it may be in use.
 */
export function makeBotKey({ args: [file] }: Given, io: CommandIo): () => Promise<number> {
  if (file === '') throw new UsageError('bot-key takes <file>: a new file for the private key')
  return async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const path = resolve(file)
    try {
      writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const why = code === 'EEXIST' ? 'it exists, and a key is never replaced: name a new file' : code
      throw new SetupError(`${path} cannot be created: ${why}`)
    }
    io.stdout.write(`${derivePublicJwk(privateKey).kid}\n`)
    io.stderr.write(describeNextSteps(path))
    return EXIT.ok
  }
}

function describeNextSteps(path: string): string {
  return `Wrote a private key that only you can read to ${path}. Above is its thumbprint, by which sites know it.
Next:
1. Copy the file to every node, readable for the service only, and set on each of them
     BOT_KEY_FILE=${path}
     BOT_DIRECTORY_URL=https://the-host-of-your-service.example
2. Restart, and see that the key is published:
     curl -i https://the-host-of-your-service.example${DIRECTORY_PATH}
3. Register this URL with the CDNs: docs/operating.md, "Signed requests".
`
}
