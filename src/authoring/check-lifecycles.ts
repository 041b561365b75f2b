import { readFileSync } from 'node:fs'
import { type Lifecycles, lifecyclesSchema } from '../lifecycles/lifecycle-types.ts'
import { buildFinding, type Finding } from '../rules/findings.ts'
import { formatHint } from '../yaml/hint.ts'
import { SchemaValidator } from '../yaml/schema-validator.ts'
import { type Path, SourceFile } from '../yaml/source-file.ts'

const validator = new SchemaValidator(lifecyclesSchema, { coerceTypes: false })

/**
 * Checks a file of lifecycles: its form, that rules of these slugs exist, and that the days of each cycle are in order.
 * @param file its path as findings name it
 * @param slugs the slugs of all rules
 */
export function checkLifecycles(file: string, slugs: ReadonlySet<string>): Finding[] {
  const source = readSource(file)
  if (source.findings.length > 0) return [...source.findings]
  const bad = validator.check(source)
  if (bad.length > 0) return bad.map(({ finding }) => finding)
  const { distributions, products } = source.data as Lifecycles
  const named: (readonly [slug: string, path: Path])[] = [
    ...distributions.map((slug, i) => [slug, ['distributions', i]] as const),
    ...Object.keys(products).map((slug) => [slug, ['products', slug]] as const),
  ]
  const unknown = named
    .filter(([slug]) => !slugs.has(slug))
    .map(([slug, path]) =>
      buildFinding('unknown-slug', source.valueAt(path), {
        kind: 'rule',
        what: 'slug',
        value: slug,
        hint: formatHint(slug, [...slugs]),
      }),
    )
  return [...unknown, ...listBadCycles(products, source)]
}

/** Reads the file as JSON. Its positions are looked up when there is something to report, which takes fifty times as long. */
function readSource(file: string): SourceFile {
  try {
    return new SourceFile(file, {
      schema: 'core',
      known: { data: JSON.parse(readFileSync(file, 'utf8')), findings: [] },
    })
  } catch {
    return new SourceFile(file, { schema: 'core' })
  }
}

function listBadCycles(products: Lifecycles['products'], source: SourceFile): Finding[] {
  return Object.entries(products).flatMap(([slug, { cycles }]) =>
    cycles.flatMap(({ cycle, released, activeEnds, ends }, i) => {
      const days = [released, activeEnds, ends].filter((day) => typeof day === 'string')
      const unreal = days.find((day) => !isDay(day))
      const reasons = [
        ...(cycles.findIndex((one) => one.cycle === cycle) < i ? ['it is listed twice'] : []),
        ...(unreal === undefined ? [] : [`there is no day ${unreal}`]),
        ...(typeof ends === 'string' && ends < released ? ['its support ends before its release'] : []),
      ]
      return reasons.map((reason) =>
        buildFinding('bad-lifecycle', source.valueAt(['products', slug, 'cycles', i]), { slug, cycle, reason }),
      )
    }),
  )
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
