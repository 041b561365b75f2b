import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../src/rules/built.ts'
import type { ToolComparison } from './compare/comparison.ts'
import { formatTable } from './service-tables.ts'

/** Reads the last comparison that the project has stored. */
export function readStoredComparison(): ToolComparison {
  return JSON.parse(readFileSync(join(projectFolder(), 'docs', 'benchmark.json'), 'utf8'))
}

const formatPercent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(1)} %`)

/** The tables of docs/benchmark.md. */
export function formatBenchmark(): string {
  const { measured, machine, pages, rounds, timedPages, detectors, pairs } = readStoredComparison()
  const facts = [
    `Measured on ${measured.slice(0, 10)}: ${pages.count} pages, ${pages.labelled} of them with a label (SHA-256 of the lines`,
    `\`${pages.sha256.slice(0, 16)}…\`); speed from ${rounds} rounds over ${timedPages} pages; ${machine.cpu}, ${machine.cores} cores,`,
    `load ${machine.load}, ${machine.system}, Node ${machine.node}.`,
  ].join('\n')
  const names = detectors.map((one) => [
    ...[one.name, one.version ?? '–', one.rules ?? '–', one.namingsPerPage, one.alone, one.failures],
    ...[formatPercent(one.labels?.precision ?? null), formatPercent(one.labels?.recall ?? null)],
  ])
  const speed = detectors.map((one) => [
    ...[one.name, one.pagesPerSecond, one.speed, one.startMs, one.memoryMiB ?? '–', one.twice ?? '–', one.worst.ms],
  ])
  const agreement = pairs.map((one) => [
    ...[`${one.first}, ${one.second}`, one.both, one.onlyFirst, one.onlySecond, formatPercent(one.share)],
    ...[`${formatPercent(one.shared.share)} of ${one.shared.names} names`],
  ])
  const table = (head: string[], rows: readonly (readonly (string | number)[])[]): string =>
    formatTable(
      head,
      rows.map((row) => row.map(String)),
    )
  return [
    facts,
    table(['detector', 'version', 'rules', 'names per page', 'alone', 'failures', 'precision', 'recall'], names),
    table(['detector', 'pages/s', 'speed', 'start ms', 'MiB', 'time with twice the rules', 'worst page ms'], speed),
    table(['detectors', 'both', 'only first', 'only second', 'agreement', 'of names that both have'], agreement),
  ].join('\n\n')
}

/** The three figures of the README. */
export function formatReadmeFigures(): string {
  const { detectors } = readStoredComparison()
  const [own] = detectors
  const other = detectors.find(({ name }) => name === 'wappalyzer-core')
  if (other === undefined) throw new Error('docs/benchmark.json has no detector wappalyzer-core')
  const times = Math.round(1 / other.speed)
  return `${times} times the pages a second of wappalyzer-core, ${own.namingsPerPage} names per page instead of ${other.namingsPerPage}, and ${own.memoryMiB} MiB instead of ${other.memoryMiB}`
}
