import { BATCH_OPERATIONS } from './batch-operations.ts'
import { GET_CATALOGUE } from './catalogue.ts'
import { GET_KEY_INFO } from './me.ts'
import type { Operation } from './operation.ts'
import { SCAN, SCAN_BY_QUERY } from './scan.ts'
import { GET_USAGE } from './usage.ts'

/** All operations of the API, in the order of the documents. */
export const OPERATIONS: readonly Operation[] = [
  SCAN_BY_QUERY,
  SCAN,
  GET_KEY_INFO,
  GET_USAGE,
  GET_CATALOGUE,
  ...BATCH_OPERATIONS,
]
