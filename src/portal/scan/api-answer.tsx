import { escapeInvisible } from '../../engine/text/visible-text.ts'
import { listExtras } from '../../scan/extras.ts'
import { formatResult } from '../../service/cached-response.ts'
import { countPages } from '../../service/stored-extras.ts'
import type { StoredScan } from '../../store/account-types.ts'
import { Card } from '../components/content.tsx'
import { CodeBlock } from '../components/copy.tsx'
import type { PageContext } from '../page.ts'

interface ApiAnswerProps {
  readonly context: PageContext<'session'>
  readonly scan: StoredScan
}

/** Shows how to make the same scan with the API: the command line, and its response. */
export function ApiAnswer({ context: { parts, baseUrl }, scan }: ApiAnswerProps) {
  const { apiRevision } = parts.settings
  const extras = listExtras(apiRevision)
  const pages = apiRevision === 1 ? 1 : countPages(scan.entry.extras)
  const response = formatResult(scan.entry, {
    pages,
    cached: scan.entry.at < scan.at.getTime(),
    include: extras,
    revision: apiRevision,
    categories: parts.rules.current.categories,
  })
  return (
    <Card title="The same with the API">
      <p>Put your key into this line. Without include, the response has only its standard fields.</p>
      <CodeBlock id="curl" what="Command line" text={buildCurlLine(baseUrl, scan, { extras, pages })} />
      <CodeBlock isLong id="json" what="JSON" text={escapeInvisible(JSON.stringify(JSON.parse(response), null, 2))} />
    </Card>
  )
}

/** The URL is quoted for the shell: `'` is the only character of a component that could end the quotes. */
function buildCurlLine(
  baseUrl: string,
  { url, entry }: StoredScan,
  { extras, pages }: { readonly extras: readonly string[]; readonly pages: number },
): string {
  const target = encodeURIComponent(url).replaceAll("'", '%27')
  return `curl -s -H "Authorization: Bearer $SITEPRINT_KEY" '${baseUrl}/api/v1/scan?url=${target}${pages > 1 ? `&pages=${pages}` : ''}${entry.isRendered ? '&render=always' : ''}&include=${extras.join(',')}'`
}
