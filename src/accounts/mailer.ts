import { createTransport, type Transporter } from 'nodemailer'
import type { Logger } from './logger.ts'

/** The mail server, and the sender of e-mails. */
export interface MailSettings {
  readonly smtpUrl: string
  readonly mailFrom: string
}

/** A plain-text e-mail. */
export interface Mail {
  readonly subject: string
  readonly text: string
}

/** Maximum number of connections to the mail server. */
const MAX_CONNECTIONS = 3
/** Maximum number of e-mails that wait for a connection. Any more are dropped, because they would fill the memory. */
const MAX_PENDING_MAILS = 1000
/** Milliseconds to connect, and to wait for the server's greeting and for each of its replies. */
const TIMEOUT_MS = 10_000

/** Sends e-mails in the background. */
export class Mailer {
  readonly #transport: Transporter
  readonly #from: string
  readonly #log: Logger
  #pending = 0

  constructor({ smtpUrl, mailFrom }: MailSettings, log: Logger) {
    this.#transport = createTransport({
      url: smtpUrl,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    this.#from = mailFrom
    this.#log = log
  }

  /** Sends an e-mail. Never rejects: a failure is logged, without the recipient. */
  async send(recipient: string, { subject, text }: Mail): Promise<void> {
    if (this.#pending >= MAX_PENDING_MAILS) {
      this.#log.error('an e-mail was dropped: too many are waiting for the mail server in SMTP_URL')
      return
    }
    this.#pending++
    try {
      // An object, so that the recipient is not parsed as a list of addresses.
      await this.#transport.sendMail({ from: this.#from, to: { name: '', address: recipient }, subject, text })
    } catch (error) {
      const { code, responseCode } = error as { readonly code?: string; readonly responseCode?: number }
      this.#log.error(
        { code, responseCode },
        'an e-mail could not be sent: check SMTP_URL, MAIL_FROM and the mail server',
      )
    } finally {
      this.#pending--
    }
  }

  close(): void {
    this.#transport.close()
  }
}
