import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { until } from './until.ts'

/** An e-mail as it was received. */
interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body; transfer encodings and soft line breaks are decoded. */
  readonly text: string
}

export interface MailServer {
  readonly url: string
  readonly mails: readonly ReceivedMail[]
  /** Waits for the next e-mail to an address, and removes it from the list. */
  next(recipient: string): Promise<ReceivedMail>
  /** The token in the next e-mail to an address. */
  nextToken(recipient: string): Promise<string>
  stop(): Promise<void>
}

/** Starts an SMTP server on a free port of 127.0.0.1. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    // Milliseconds: clients keep their connections open for the next e-mail, and no test waits for them.
    closeTimeout: 1,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ from, to, text: decode(Buffer.concat(chunks).toString('utf8')) })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const next = async (recipient: string): Promise<ReceivedMail> => {
    const find = (): number => mails.findIndex(({ to }) => to.includes(recipient))
    await until(() => find() >= 0, true)
    return mails.splice(find(), 1)[0]
  }
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    next,
    nextToken: async (recipient) => /[?&]token=([\w-]+)/.exec((await next(recipient)).text)?.[1] ?? '',
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function decode(raw: string): string {
  if (!/^content-transfer-encoding: quoted-printable/im.test(raw)) return raw
  return raw
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
