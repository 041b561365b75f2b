import { randomUUID } from 'node:crypto'
import { buildCycloneDx, type DescribedResult } from '../../scan/build-cyclonedx.ts'
import { readVersion } from '../command/version.ts'

/** Formats a result as a CycloneDX document. */
export function formatDocument(result: DescribedResult, now?: Date): string {
  const document = buildCycloneDx(result, { version: readVersion(), serial: randomUUID(), ...(now && { now }) })
  return `${JSON.stringify(document, null, 2)}\n`
}
