import { type InputKind, listColumns } from '../formats/columns.ts'

/** Characters of a line of the help. */
const WIDTH = 120

/** Lists the columns of a kind of input in lines. An asterisk marks those that are written by default. */
function formatColumns(kind: InputKind): string {
  const lines = ['     ']
  for (const { name, about, isDefault } of listColumns(kind)) {
    const item = ` ${name}${isDefault ? '*' : ''}${about === '' ? '' : ` (${about})`},`
    if (lines[lines.length - 1].length + item.length > WIDTH) lines.push('     ')
    lines[lines.length - 1] += item
  }
  return lines.join('\n').slice(0, -1)
}

/** The text of `scan --help`. */
export const SCAN_HELP = `
Detects what a website is made with: a live site, or a saved page.

  npm run -s scan -- https://example.org [--pages 3] [--include evidence,versions,infrastructure,timing,warnings,meta,page,details,
      packages]
      Scans a live site and prints the result as JSON. A domain without https:// is scanned with https://, or with http:// if its
      server refuses the connection. The command of the package (siteprint URL) describes the result on a terminal; --json prints JSON
      there too.

  npm run -s scan -- URL URL … | --urls file.txt | --urls file.csv --column NAME [--out out.jsonl|out.csv] [--concurrency 8]
      [--resume|--retry-failed|--retry-walls|--overwrite] [--include …]
      Scans many sites. The file has one URL or domain per line, in UTF-8; lines that begin with # are ignored. --urls - reads
      standard input. Repeated sites are scanned once. Prints one line per site as soon as it is done: {url, result} or {url, error, code}. Each host is scanned by one scan
      at a time, with a pause of 1 second; the same holds for hosts that redirects lead to. --resume continues --out: sites that
      failed count as done. --retry-failed continues it and scans the sites that failed again, --retry-walls also those
      of which a wall came back. Ctrl-C keeps everything that is done.

  npm run -s scan -- --urls file.txt|file.csv --queue [--column NAME] [--include …] [--out …] | --attach ID [--out …]
      Lets the service at SITEPRINT_URL scan the list in the background with the API key SITEPRINT_KEY, and prints its results as they
      complete. Ctrl-C detaches, and --attach follows the batch again. npx siteprint batches manages batches.

  --pages 1..5                    reads up to so many pages of each live site, which its first page links, and lists them in parts
  --column NAME                   the file is CSV with a header, and this column has the sites; the other columns are written, too
  --raw-columns                   CSV keeps other columns of the list as they are. By default a value that a spreadsheet would take for
                                  a formula begins with '
  --allow address[/bits][:port]   opens a local address (IPv6 in brackets; may be repeated)
  --skip dns,tls,robots,favicon   leaves out parts of the side evidence
  --render auto|always|never      lets a browser, that of CHROMIUM or BROWSER_URL, run each page first; auto only pages that have
                                  hardly any text without their scripts (docs/rendering.md)

  npm run -s scan -- --html page.html [--url U] [--headers h.json] [--include evidence,versions,warnings,page,details,packages]
      Scans a saved page. --url is its address, --headers a JSON file: {name: value} or [[name, value], …]. With --render, a browser
      runs a page of --html, --har or --batch from its saved files, without a network (docs/rendering.md).

  npm run -s scan -- --har file.har [--include …]
      Scans the main document of a HAR file, with its headers, the scripts and style sheets of its page, and the URLs that it
      loaded. With --out, scans all pages of the file.

  npm run -s scan -- --batch in.jsonl[.gz] … | --warc in.warc[.gz] … [--out out.jsonl|out.csv] [--include …] [--shard 3/16]
      Scans many saved pages, of one file or several, on all processors. --batch reads one per line: {id, url?, status?, headers?, html?, scripts?, styles?}, headers as
      [[name, value], …], scripts and styles as [{url, text}, …];
      --warc reads every HTML response. Prints one line per page, in the same order: {id, result}, or {id or line, error, code};
      with --warc also date and recordId.

  --timeout 10   seconds that one saved page may take; a run continues with the next page
  --shard 3/16   scans only the third of sixteen parts of the pages. The parts of all machines together are all pages

Output of every input:

  --format cyclonedx        prints technologies, packages and evidence of one site or page as a CycloneDX document
  --fail-on ended           exit code 1 if a site shows a version whose support has ended; one that a distribution may
                            still patch does not count

  --out FILE                JSON lines (.jsonl, .ndjson), or CSV (.csv)
  --overwrite               replaces output files that exist; without it they are an error
  --columns LIST            the columns of CSV. For live sites (* by default):
${formatColumns('live')}
      For saved pages:
${formatColumns('warc')}
      date and recordId are those of WARC records.
  --technologies-out FILE   a second file (.csv, .jsonl) with one row per page and technology: url (of saved pages also id, and
                            recordId of WARC records), slug, name, category, version, level

Settings (environment): RULES_DIRS and DETECTORS, additional rules and detectors; SCAN_ALLOW, SCAN_PORTS and SCAN_DENY, which
addresses may be scanned; CONTACT_URL, the contact in the User-Agent; CHROMIUM or BROWSER_URL, the browser.
Exit code: 0 success, 1 at least one item failed, 2 wrong usage or failure, 130 stopped by Ctrl-C.
`
