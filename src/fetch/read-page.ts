import { Deadline } from '../async/deadline.ts'
import { readBody } from './body.ts'
import { findHeaders } from './redirect.ts'
import type { Session, SiteResponse } from './session.ts'

export interface ReceivedBody {
  /** The body, decompressed; empty if it was not read. */
  readonly html: Uint8Array
  /** Whether the body is HTML. Nothing that another body refers to is requested. */
  readonly isHtml: boolean
  readonly warnings: readonly string[]
}

const NOT_HTML = 'the response is not HTML; its body was not analysed'
const HTML_TYPES = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i
/** Types of the messages that proxies, APIs and stores send instead of a page. */
const MESSAGE_TYPES = /^\s*(?:text\/(?:plain|xml)|application\/(?:json|xml|problem\+json))\s*(?:;|$)/i
const FIRST_ERROR_STATUS = 400
/** A message of this length says whose it is; a longer body is data. */
const MAX_MESSAGE_BYTES = 8 * 1024

/**
 * Reads the body of an HTML response, or the short message of an error that is text, JSON or XML. The type of a response without a
 * Content-Type is detected from its body.
 */
export async function readPage(response: SiteResponse, session: Session): Promise<ReceivedBody> {
  const type = findHeaders(response, 'content-type')[0]
  try {
    if (type !== undefined && !HTML_TYPES.test(type)) {
      const isMessage = response.status >= FIRST_ERROR_STATUS && MESSAGE_TYPES.test(type)
      return (isMessage && (await readMessage(response, session))) || skip()
    }
    const { bytes, warnings } = await readBody(response.body, findEncodings(response), {
      ...session.policy,
      signal: session.signal,
    })
    if (type !== undefined || bytes.length === 0 || beginsWithTag(bytes)) return { html: bytes, isHtml: true, warnings }
    return skip(warnings)
  } finally {
    response.body.destroy()
  }
}

/**
 * Reads a message in the time and size that it may have, so that one without an end costs no scan.
 * @returns null if it is longer, slower, or cannot be read
 * @throws the signal's reason when the session aborts
 */
async function readMessage(response: SiteResponse, { policy, signal }: Session): Promise<ReceivedBody | null> {
  const deadline = new Deadline({ ms: policy.evidenceMs, parent: signal })
  const bounds = { maxWireBytes: MAX_MESSAGE_BYTES, maxBodyBytes: MAX_MESSAGE_BYTES, signal: deadline.signal }
  try {
    const { bytes, warnings } = await readBody(response.body, findEncodings(response), bounds)
    return warnings.length > 0 ? null : { html: bytes, isHtml: false, warnings }
  } catch (error) {
    if (signal.aborted) throw error
    return null
  } finally {
    deadline.clear()
  }
}

const findEncodings = (response: SiteResponse): string => findHeaders(response, 'content-encoding').join(',')

function skip(warnings: readonly string[] = []): ReceivedBody {
  return { html: new Uint8Array(), isHtml: false, warnings: [...warnings, NOT_HTML] }
}

/** Whether the first character is `<`, after an optional byte order mark and white space, including in UTF-16. */
function beginsWithTag(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</.test(start)
}
