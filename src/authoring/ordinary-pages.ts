import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { PageInput } from '../engine/page/page.ts'
import { toList } from '../engine/rule/clause.ts'
import { projectFolder } from '../rules/built.ts'
import { type OrdinaryPageData, ordinaryPagesSchema } from '../rules/data-schemas.ts'
import type { Finding } from '../rules/findings.ts'
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
}

/** The ordinary pages of the project. An installation without its tests has none. */
const ordinaryPagesFolder = join(projectFolder(), 'test', 'pages')
const validator = new SchemaValidator(ordinaryPagesSchema)

/** Reads the ordinary pages of a folder: every `*.yaml` in it, in the order of names. Without the folder there are none. */
export function readOrdinaryPages(folder = ordinaryPagesFolder): OrdinaryPages {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.yaml')) : []
  const files = names.sort().map((name) => readPages(relative('.', join(folder, name))))
  return { pages: files.flatMap(({ pages }) => pages), findings: files.flatMap(({ findings }) => findings) }
}

function readPages(name: string): OrdinaryPages {
  const file = new SourceFile(name)
  const findings: Finding[] = [...file.findings]
  if (file.data !== null) findings.push(...validator.check(file).map(({ finding }) => finding))
  if (findings.length > 0) return { pages: [], findings }
  const { pages } = file.data as { readonly pages: readonly OrdinaryPageData[] }
  return { pages: pages.map((data, i) => readPage(data, file, ['pages', i])), findings }
}

function readPage({ about, page, also, siteType }: OrdinaryPageData, file: SourceFile, path: Path): OrdinaryPage {
  const common = { about, file, path, input: page, also: toList<string>(also) }
  // Failsafe YAML has no null, so the text `null` stands for it.
  return siteType === undefined ? common : { ...common, siteType: siteType === 'null' ? null : siteType }
}
