import { ApiError } from '../../errors.ts'
import type { Revision } from '../../service/request-state.ts'
import { findClosest } from '../../yaml/hint.ts'
import { OPERATIONS } from './operations.ts'

/** Longer paths get no suggestion. */
const MAX_PATH_CHARACTERS = 200
/** Documents outside the API, by the words that clients try. */
const DOCUMENTS: readonly (readonly [word: RegExp, path: string])[] = [
  [/^(?:openapi|swagger|api-docs)(?:\.(?:json|ya?ml))?$/, '/openapi.json'],
  [/^(?:docs?|documentation|swagger-ui|redoc)$/, '/docs'],
]

interface PathOptions {
  /** Revision of the client's key; paths that it does not have are not suggested. */
  readonly revision: Revision
  readonly basePath: string
}

/** Builds the error for a path that does not exist, with the path that the client probably meant. */
export function buildNotFound(url: string, options: PathOptions): ApiError {
  const path = findNearestPath(url, options)
  const sentence = `There is nothing at this path; the nearest one is ${path}.`
  return new ApiError('not_found', path === null ? {} : { sentence })
}

/** Finds the path of an endpoint or document that one of the segments of a path names or nearly names. */
function findNearestPath(url: string, { revision, basePath }: PathOptions): string | null {
  const [path] = url.split('?', 1)
  if (path.length > MAX_PATH_CHARACTERS) return null
  const names = OPERATIONS.filter(({ since }) => since <= revision).map((operation) => operation.path.slice(1))
  for (const segment of path.toLowerCase().split('/').filter(Boolean).reverse()) {
    const name = findClosest(segment, names)
    const found = name === undefined ? findDocument(segment) : `/api/v1/${name}`
    if (found !== null) return basePath + found
  }
  return null
}

function findDocument(segment: string): string | null {
  return DOCUMENTS.find(([word]) => word.test(segment))?.[1] ?? null
}
