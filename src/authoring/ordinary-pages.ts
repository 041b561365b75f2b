import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { PageInput } from '../engine/page/page.ts'
import { toList } from '../engine/rule/clause.ts'
import { projectFolder } from '../rules/built.ts'
import { type OrdinaryPageData, ordinaryPagesSchema } from '../rules/data-schemas.ts'
import type { Finding } from '../rules/findings.ts'
import { readState } from '../rules/fingerprint.ts'
import type { FileMemory } from '../rules/load/file-memory.ts'
import { SchemaValidator } from '../yaml/schema-validator.ts'
import { type Path, SourceFile } from '../yaml/source-file.ts'

/** A page such as anyone could publish: no rule may fire on it except those that it lists. */
export interface OrdinaryPage {
  /** The subject of the page, by which reports name it. */
  readonly about: string
  readonly file: SourceFile
  /** The path of the page in the file; `file.valueAt(path)` is its line. */
  readonly path: Path
  readonly input: PageInput
  /** Slugs of the builders, technologies and hosting that rightly fire. */
  readonly also: readonly string[]
  /** The expected site type: a slug, null for none, undefined if the file states none. */
  readonly siteType?: string | null
}

/** Pages of all files of a folder, and the problems of those that cannot be read. */
export interface OrdinaryPages {
  readonly pages: readonly OrdinaryPage[]
  readonly findings: readonly Finding[]
  /** What changes when a file does. */
  readonly state: string
}

/** The ordinary pages of the project. An installation without its tests has none. */
const ordinaryPagesFolder = join(projectFolder(), 'test', 'pages')
const validator = new SchemaValidator(ordinaryPagesSchema)

/** What an earlier run has read of the files of the folder. */
interface RememberedPages {
  readonly state: string
  /** The checked data of each file. */
  readonly data: readonly OrdinaryFile[]
}

interface OrdinaryFile {
  readonly pages: readonly OrdinaryPageData[]
}

const SUMMARY = 'ordinary'

/**
 * Reads the ordinary pages of a folder: every `*.yaml` in it, in the order of names. Without the folder there are none.
 * @param memory of earlier runs: files that have not changed since are not parsed
 */
export function readOrdinaryPages({
  folder = ordinaryPagesFolder,
  memory,
}: {
  readonly folder?: string
  readonly memory?: FileMemory | undefined
} = {}): OrdinaryPages {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.yaml')) : []
  const paths = names.sort().map((name) => relative('.', join(folder, name)))
  const state = paths.map((path) => `${path} ${readState(path)}`).join('\n')
  const known = memory?.getSummary<RememberedPages>(SUMMARY)
  if (known !== undefined && known.state === state)
    return { pages: paths.flatMap((path, i) => restorePages(path, known.data[i])), findings: [], state }
  const files = paths.map(readPages)
  const findings = files.flatMap((file) => file.findings)
  if (findings.length === 0)
    memory?.setSummary(SUMMARY, {
      state,
      data: files.map(({ data }) => data as OrdinaryFile),
    } satisfies RememberedPages)
  return { pages: files.flatMap(({ pages }) => pages), findings, state }
}

function restorePages(path: string, data: OrdinaryFile): readonly OrdinaryPage[] {
  const file = new SourceFile(path, { known: { data, findings: [] } })
  return data.pages.map((one, i) => readPage(one, file, ['pages', i]))
}

function readPages(name: string): Omit<OrdinaryPages, 'state'> & { readonly data: unknown } {
  const file = new SourceFile(name)
  const { data } = file
  const findings: Finding[] = [...file.findings]
  if (data !== null) findings.push(...validator.check(file).map(({ finding }) => finding))
  if (findings.length > 0) return { pages: [], findings, data }
  const { pages } = data as OrdinaryFile
  return { pages: pages.map((one, i) => readPage(one, file, ['pages', i])), findings, data }
}

function readPage({ about, page, also, siteType }: OrdinaryPageData, file: SourceFile, path: Path): OrdinaryPage {
  const common = { about, file, path, input: page, also: toList<string>(also) }
  // Failsafe YAML has no null, so the text `null` stands for it.
  return siteType === undefined ? common : { ...common, siteType: siteType === 'null' ? null : siteType }
}
