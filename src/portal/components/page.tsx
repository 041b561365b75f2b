import type { ComponentChildren } from 'preact'
import { ASSETS } from '../assets.ts'
import type { PageContext } from '../page.ts'

interface PageProps {
  /** Null if the session is not known, as on some error pages. */
  readonly context: PageContext | null
  /** The title of the window and, unless `hasOwnHeading` is set, the heading of the page. */
  readonly title: string
  /** Whether the children contain the `h1`. */
  readonly hasOwnHeading?: boolean
  /** A narrow column for pages with a single form; wide for tables and charts. */
  readonly width?: 'narrow' | 'wide'
  /** One sentence for search engines. */
  readonly description?: string
  /** The path of the page for search engines: pages without one are not for them. */
  readonly canonicalPath?: string
  /** Whether the page contains charts or tables of a report. */
  readonly hasReport?: boolean
  /** Seconds after which a browser without JavaScript loads the page again. */
  readonly refreshSeconds?: number | undefined
  readonly children: ComponentChildren
}

/** The frame of every page: head, navigation, content, footer. */
export function Page({ context, title, hasOwnHeading = false, width = 'wide', children, ...page }: PageProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Siteprint`}</title>
        {page.description !== undefined && <meta name="description" content={page.description} />}
        {page.canonicalPath !== undefined && (
          <link rel="canonical" href={`${context?.baseUrl ?? ''}${page.canonicalPath}`} />
        )}
        <link rel="icon" href={ASSETS.icon.path} type="image/svg+xml" />
        <link rel="stylesheet" href={ASSETS.style.path} />
        {page.hasReport === true && <link rel="stylesheet" href={ASSETS.reportStyle.path} />}
        <script src={ASSETS.script.path} defer />
        {page.refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={`${page.refreshSeconds}`} />
          </noscript>
        )}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <Header context={context} />
        <main id="content" class={width}>
          {!hasOwnHeading && <h1>{title}</h1>}
          {children}
        </main>
        <Footer version={context?.parts.version} />
      </body>
    </html>
  )
}

function Header({ context }: { readonly context: PageContext | null }) {
  return (
    <header class="top">
      <div class="bar">
        <a class="brand" href="/">
          <img src={ASSETS.icon.path} alt="" width="28" height="28" />
          Siteprint
        </a>
        <nav aria-label="Main">
          <ul>
            {listLinks(context).map(([path, label]) => (
              <NavLink key={path} path={path} label={label} current={context?.path} />
            ))}
          </ul>
        </nav>
        {context !== null && <AccountMenu context={context} />}
      </div>
    </header>
  )
}

type Link = readonly [path: string, label: string]

function listLinks(context: PageContext | null): readonly Link[] {
  const open: readonly Link[] = [
    ['/catalogue', 'Catalogue'],
    ['/docs', 'Docs'],
  ]
  if (context === null || context.account === null) return open
  const own: readonly Link[] = [
    ['/account', 'Usage'],
    ['/account/keys', 'Keys'],
    ['/scan', 'Scan'],
    ['/batches', 'Batches'],
    ...open,
  ]
  return context.isAdmin ? [...own, ['/admin', 'Admin']] : own
}

/** A link of the navigation; the longest path that contains the current page is the current one. */
function NavLink({
  path,
  label,
  current,
}: {
  readonly path: string
  readonly label: string
  readonly current?: string
}) {
  const isExact = current === path
  const isAbove = path !== '/account' && current?.startsWith(`${path}/`)
  return (
    <li>
      <a href={path} aria-current={isExact ? 'page' : isAbove ? 'true' : undefined}>
        {label}
      </a>
    </li>
  )
}

function AccountMenu({ context: { account, parts, path } }: { readonly context: PageContext }) {
  if (account === null)
    return (
      <div class="menu">
        <a href="/login" aria-current={path === '/login' ? 'page' : undefined}>
          Log in
        </a>
        {parts.accounts.signUp !== 'off' && (
          <a class="button" href="/signup">
            Sign up
          </a>
        )}
      </div>
    )
  return (
    <div class="menu">
      <a class="email" href="/account/settings" aria-current={path === '/account/settings' ? 'page' : undefined}>
        <span class="on-phone">Settings</span>
        <span class="on-wide">
          <span class="hidden">Settings of </span>
          {account.email}
        </span>
      </a>
      <form method="post" action="/logout">
        <button type="submit" class="button secondary">
          Log out
        </button>
      </form>
    </div>
  )
}

function Footer({ version }: { readonly version: string | undefined }) {
  return (
    <footer class="bottom">
      <div class="bar">
        <span>Siteprint{version !== undefined && ` ${version}`}</span>
        <nav aria-label="Footer">
          <ul>
            <li>
              <a href="/docs">API documentation</a>
            </li>
            <li>
              <a href="/openapi.json">OpenAPI</a>
            </li>
          </ul>
        </nav>
      </div>
    </footer>
  )
}
