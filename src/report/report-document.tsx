import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ComponentChildren } from 'preact'

const PORTAL_ASSETS = join(import.meta.dirname, '..', 'portal', 'assets')
const OWN_ASSETS = join(import.meta.dirname, 'assets')

/** What the file of a report contains: style sheets, a script and the icon. */
export interface ReportAssets {
  readonly style: string
  readonly script: string
  readonly icon: string
}

/** Reads the style sheet of the portal, the additional styles of reports, their script and the icon. */
export function readReportAssets(): ReportAssets {
  const style =
    readFileSync(join(PORTAL_ASSETS, 'style.css'), 'utf8') + readFileSync(join(OWN_ASSETS, 'report.css'), 'utf8')
  const icon = readFileSync(join(PORTAL_ASSETS, 'icon.svg'), 'utf8').replace(
    '<svg ',
    '<svg width="28" height="28" aria-hidden="true" ',
  )
  return {
    style,
    script: readFileSync(join(OWN_ASSETS, 'report.js'), 'utf8'),
    icon: icon.replace(/<title>.*?<\/title>/, ''),
  }
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

interface ReportDocumentProps {
  readonly title: string
  /** Links of the header: fragment and label. */
  readonly links: readonly (readonly string[])[]
  readonly assets: ReportAssets
  readonly children: ComponentChildren
}

/** A document in one file. Its policy allows only its own script and style, so that it can request nothing. */
export function ReportDocument({ title, links, assets: { style, script, icon }, children }: ReportDocumentProps) {
  const own = `style-src ${hash(style)}; script-src ${hash(script)}`
  const policy = `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'`
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>{`${title} · Siteprint`}</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <Header icon={icon} links={links} />
        <main id="content" class="wide">
          {children}
        </main>
        <script dangerouslySetInnerHTML={{ __html: script }} />
      </body>
    </html>
  )
}

function Header({ icon, links }: { readonly icon: string; readonly links: readonly (readonly string[])[] }) {
  return (
    <header class="top">
      <div class="bar">
        <span class="brand">
          <span dangerouslySetInnerHTML={{ __html: icon }} />
          Siteprint
        </span>
        <nav aria-label="Main">
          <ul>
            {links.map(([path, label]) => (
              <li key={path}>
                <a href={path}>{label}</a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </header>
  )
}
