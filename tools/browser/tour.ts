import type { Page } from 'playwright-core'
import { PAGES } from '../../src/portal/routes/pages.ts'

/** A state of a page that people see. */
interface Stop {
  /** The name in kebab-case, for the file of a picture. */
  readonly name: string
  /** Path with query. */
  readonly path: string
  /** The action on the page, such as sending its form. */
  readonly act?: (page: Page) => Promise<unknown>
}

export interface Tour {
  /** Address of the service, without a trailing slash. */
  readonly url: string
  /** Address of the account that is created by a sign-up. */
  readonly email: string
  /** Creates the account of an operator. Returns path and query of the page on which its password is chosen. */
  readonly createOperator: () => Promise<string>
  /** Address of that account. */
  readonly operatorEmail: string
  /** A page that may be scanned. */
  readonly target: string
}

/** Password of every account of a tour. */
const PASSWORD = 'seven boats on a quiet lake'

const submit = (page: Page): Promise<unknown> => page.locator('main form button[type=submit]').first().click()

/** Follows the first link that contains each text, one after the other. */
const followLinks =
  (...parts: readonly string[]) =>
  async (page: Page): Promise<void> => {
    for (const part of parts) await page.locator(`main a[href*="${part}"]`).first().click()
  }

/** Pages without a session. */
const VISITOR_STOPS: readonly Stop[] = [
  { name: 'home', path: '/' },
  { name: 'sign-up', path: '/signup' },
  { name: 'sign-up-errors', path: '/signup', act: submit },
  { name: 'log-in', path: '/login' },
  { name: 'log-in-errors', path: '/login', act: submit },
  { name: 'forgot', path: '/forgot' },
  { name: 'reset', path: '/reset?token=none' },
  { name: 'reset-without-token', path: '/reset' },
  { name: 'verify', path: '/verify?token=none' },
  { name: 'verify-invalid', path: '/verify?token=none', act: submit },
  { name: 'catalogue', path: '/catalogue' },
  { name: 'catalogue-search', path: '/catalogue?q=analytics' },
  { name: 'catalogue-list', path: '/catalogue/builder?category=ai-builder' },
  { name: 'catalogue-entry', path: '/catalogue/builder/wordpress' },
  { name: 'goodbye', path: '/goodbye' },
  { name: 'not-found', path: '/no-such-page' },
]

const clickButton =
  (name: string) =>
  (page: Page): Promise<unknown> =>
    page.getByRole('button', { name, exact: true }).click()

const SETTINGS_STOPS: readonly Stop[] = [
  { name: 'settings-saved', path: '/account/settings', act: clickButton('Save name') },
  { name: 'settings-email-errors', path: '/account/settings', act: clickButton('Change e-mail address') },
  { name: 'settings-password-errors', path: '/account/settings', act: clickButton('Change password') },
  { name: 'delete-errors', path: '/account/delete', act: submit },
]

async function openFirstAccount(page: Page): Promise<void> {
  await page.locator('tbody a').first().click()
  await page.getByRole('heading', { name: 'Attach a key' }).waitFor()
}

const ADMIN_STOPS: readonly Stop[] = [
  { name: 'admin-nothing-found', path: '/admin?search=not-an-account' },
  { name: 'admin-account', path: '/admin', act: openFirstAccount },
  {
    name: 'admin-account-errors',
    path: '/admin',
    act: async (page) => {
      await openFirstAccount(page)
      await clickButton('Attach key')(page)
    },
  },
  {
    name: 'admin-service-confirm',
    path: '/admin/service',
    act: (page) => page.getByText('Turn maintenance on…').click(),
  },
]

/** Pages with a session that a path alone does not show. */
function listFurtherStops({ target }: Tour): readonly Stop[] {
  const path = `/scan?url=${encodeURIComponent(target)}`
  return [
    { name: 'scan-errors', path: '/scan?url=localhost', act: submit },
    { name: 'scan-result', path, act: submit },
    { name: 'scan-evidence', path, act: openEvidence },
    { name: 'scan-recent', path: '/scan' },
    { name: 'account-key', path: '/account/keys', act: openKey },
    { name: 'account-key-rotated', path: '/account/keys', act: rotateKey },
    { name: 'account-key-revoke', path: '/account/keys', act: askToRevokeKey },
    { name: 'usage', path: '/account' },
    { name: 'key', path: '/account/keys', act: followLinks('/account/keys/') },
    { name: 'key-revoke', path: '/account/keys', act: followLinks('/account/keys/', '/revoke') },
    { name: 'batches-errors', path: '/batches', act: clickButton('Start the batch') },
    { name: 'batch', path: '/batches', act: (page) => runBatch(page, target) },
    { name: 'batch-report', path: '/batches', act: followLinks('/batches/', '/report') },
    { name: 'batch-results', path: '/batches', act: followLinks('/batches/', '/results') },
    ...SETTINGS_STOPS,
    ...ADMIN_STOPS,
  ]
}

/** Submits a list with a page and an address that cannot be scanned, and waits until it is done. */
async function runBatch(page: Page, target: string): Promise<void> {
  await page.getByText('What the results contain').click()
  await page.getByLabel('Or paste the list').fill(`${target}\nhttp://printer.lan/\n`)
  await clickButton('Start the batch')(page)
  await page.getByText('Completed: 2 of 2 URLs').waitFor()
  await page.getByText('Results are deleted').waitFor()
}

async function openEvidence(page: Page): Promise<void> {
  await submit(page)
  for (const summary of await page.locator('.evidence > summary').all()) await summary.click()
}

const openKey = (page: Page): Promise<unknown> => page.getByRole('link', { name: /^Rename, rotate/ }).click()

async function rotateKey(page: Page): Promise<void> {
  await openKey(page)
  await page.getByRole('button', { name: 'Rotate' }).click()
}

async function askToRevokeKey(page: Page): Promise<void> {
  await openKey(page)
  await page.getByRole('link', { name: 'Revoke…' }).click()
}

/** Downloads are not displayed. */
const DOWNLOAD = /\.(?:csv|json|ndjson)$|\/export$/

/** Paths of all pages that are displayed, as their definitions write them. */
export function listDisplayedPaths(): readonly string[] {
  return PAGES.filter(({ method, path }) => method === 'GET' && !DOWNLOAD.test(path)).map(({ path }) => path)
}

/** Every page with a session whose path has no parameter, then the states of pages that are listed above. */
function listOwnerStops(tour: Tour): readonly Stop[] {
  const paths = PAGES.filter(({ method, needs }) => method === 'GET' && needs !== 'nothing').map(({ path }) => path)
  const plain = paths.filter((path) => !path.includes(':') && !DOWNLOAD.test(path))
  return [...plain.map((path) => ({ name: path.slice(1).replaceAll('/', '-'), path })), ...listFurtherStops(tour)]
}

/**
 * Visits every page: first without a session, then with that of an operator.
 * @param look is called on each page with the name of the stop
 */
export async function walkPortal(page: Page, tour: Tour, look: (name: string) => Promise<void>): Promise<void> {
  const visit = async ({ name, path, act }: Stop): Promise<void> => {
    await page.goto(tour.url + path)
    await act?.(page)
    await look(name)
  }
  for (const stop of VISITOR_STOPS) await visit(stop)
  await page.goto(`${tour.url}/signup`)
  await signUp(page, tour)
  await look('first-key')
  await logInAsOperator(page, tour)
  for (const stop of listOwnerStops(tour)) await visit(stop)
}

async function logInAsOperator(page: Page, { url, operatorEmail, createOperator }: Tour): Promise<void> {
  await page.context().clearCookies()
  await page.goto(url + (await createOperator()))
  await page.getByLabel('New password').fill(PASSWORD)
  await submit(page)
  await page.goto(`${url}/login`)
  await page.getByLabel('E-mail address').fill(operatorEmail)
  await page.getByLabel('Password').fill(PASSWORD)
  await submit(page)
  await page.goto(`${url}/account/keys`)
  await page.getByRole('button', { name: 'Create your default key' }).click()
}

/** Fills and sends the form of the sign-up page, which is open. The page with the key is open afterwards. */
export async function signUp(page: Page, { email }: Pick<Tour, 'email'>): Promise<void> {
  await page.getByLabel('Name').fill('Ida Holm')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
}
