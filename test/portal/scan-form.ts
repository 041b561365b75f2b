import { decodeHTML } from 'entities'
import type { Account } from '../../src/store/account-types.ts'
import type { PortalAnswer, TestBrowser, TestPortal } from './portal-fixture.ts'

/** A person who is logged in, has one key, and scans. */
export interface Visitor {
  readonly account: Account
  readonly browser: TestBrowser
  /** The secret of the default key. */
  readonly secret: string
  open(path: string): Promise<PortalAnswer>
  submit(form: Readonly<Record<string, string>>): Promise<PortalAnswer>
  /** Requests charged this month to all keys of the account. */
  countCharges(): Promise<number>
  /** Builders and URLs of the stored scans, newest first. */
  listScans(): ReturnType<TestPortal['store']['accounts']['listScans']>
}

let visitors = 0

/** Signs up a new person. */
export async function openVisitor(portal: TestPortal): Promise<Visitor> {
  const email = `visitor-${++visitors}@example.org`
  const { browser, answer } = await portal.signUp(email)
  const account = (await portal.store.accounts.findAccount(email)) as Account
  const month = (): string => new Date(portal.clock.now).toISOString().slice(0, 7)
  return {
    account,
    browser,
    secret: /spk_live_\w{38}/.exec(answer.html)?.[0] ?? '',
    open: (path) => browser.send({ path }),
    submit: (form) => browser.send({ path: '/scan', form }),
    countCharges: async () => {
      const keys = await portal.store.keys.listAccountKeys(account.id)
      const used = await Promise.all(keys.map(({ id }) => portal.store.usage.usedBy(id, month())))
      return used.reduce((sum, one) => sum + one, 0)
    },
    listScans: () => portal.store.accounts.listScans(account.id),
  }
}

/** Texts of a page without markup. */
export function readText(html: string): string {
  return decodeHTML(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
}

/** The values and the errors that the form shows. */
export function readForm(html: string) {
  const read = (pattern: RegExp): string | null => {
    const [, text] = pattern.exec(html) ?? []
    return text === undefined ? null : decodeHTML(text.replace(/<[^>]*>/g, '')).replace(/^Error: /, '')
  }
  return {
    url: read(/<input id="url"[^>]* value="([^"]*)"/) ?? '',
    fresh: /<input[^>]* name="fresh"[^>]* checked/.test(html),
    key: read(/<select[^>]* name="key"(?:(?!<\/select>).)*?<option value="([^"]*)" selected/s),
    urlError: read(/id="url-error">(.*?)<\/p>/),
    keyError: read(/id="key-error">(.*?)<\/p>/),
    summary: read(/role="alert".*?<ul>(.*?)<\/ul>/s),
  }
}
