import type { Error as ErrorBody } from './schema.ts'

/** An error response of the API. */
export class SiteprintError extends Error {
  /** A stable code such as `blocked_target`. Later versions of the service may add codes. */
  readonly code: ErrorBody['code']
  /** HTTP status. */
  readonly status: number
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** Seconds until then, if the response contains `Retry-After` (429). */
  readonly retryAfter: number | undefined
  /** ID to quote in questions to the operator; null if the response is not from the service. */
  readonly requestId: string | null

  constructor({ code, error, retryable, requestId }: ErrorBody, response: Response) {
    super(error)
    this.name = 'SiteprintError'
    this.code = code
    this.status = response.status
    this.retryable = retryable
    this.requestId = requestId === '' ? null : requestId
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined
  }
}

/** The request got no response: the connection failed, or the time limit passed. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  constructor(cause: unknown) {
    super('The service did not respond.', { cause })
    this.name = 'ConnectionError'
  }
}

/** Reads the error of a response. A proxy in front of the service may send one that is not from the service. */
export async function readError(response: Response): Promise<SiteprintError> {
  const text = await response.text()
  const usual: ErrorBody = {
    error: `HTTP ${response.status}`,
    code: 'unknown',
    retryable: response.status === 429 || response.status >= 500,
    requestId: response.headers.get('x-request-id') ?? '',
  }
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null
    return new SiteprintError(typeof body?.code === 'string' ? { ...usual, ...body } : usual, response)
  } catch {
    return new SiteprintError(usual, response)
  }
}
