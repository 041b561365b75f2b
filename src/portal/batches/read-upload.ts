import type { FastifyRequest } from 'fastify'
import { MAX_LIST_BYTES } from '../../batches/parse-list.ts'
import { FormReader } from '../form.ts'
import { PageError } from '../page.ts'

/** More than any form of the portal has. */
const MAX_FIELDS = 30
/**
 * A larger body is refused without being read. A smaller one that is too large is read and discarded first, because browsers show
 * the response only after they have sent everything.
 */
const MAX_READ_BYTES = 4 * MAX_LIST_BYTES

/** A form with a file. */
export interface Upload {
  readonly form: FormReader
  /** Null if no file was chosen. */
  readonly file: UploadedFile | null
}

interface UploadedFile {
  readonly name: string
  readonly bytes: Buffer
}

/**
 * Reads a form with at most one file.
 * @param describeLimit what is allowed, for the error of a list that is too large
 * @throws PageError 413 for a file or a field above 16 MiB, 400 for a body that is not such a form
 */
export async function readUpload(request: FastifyRequest, describeLimit: () => string): Promise<Upload> {
  if (!request.isMultipart()) throw new PageError(400)
  if (Number(request.headers['content-length'] ?? 0) > MAX_READ_BYTES) throw new PageError(413, describeLimit())
  const fields = new URLSearchParams()
  let file: UploadedFile | null = null
  let isTooLarge = false
  try {
    for await (const part of request.parts({ limits: LIMITS })) {
      if (part.type === 'file') {
        const bytes = await part.toBuffer()
        isTooLarge ||= part.file.truncated
        if (bytes.length > 0 || part.filename) file = { name: part.filename, bytes }
      } else {
        isTooLarge ||= part.valueTruncated === true
        if (typeof part.value === 'string') fields.append(part.fieldname, part.value)
      }
    }
  } catch (error) {
    request.log.debug({ id: request.id, err: error }, 'upload not readable')
    throw new PageError(400, 'The file could not be read completely. Open the page and send it again.')
  }
  if (isTooLarge) throw new PageError(413, describeLimit())
  return { form: new FormReader(fields), file }
}

const LIMITS = {
  files: 1,
  fields: MAX_FIELDS,
  parts: MAX_FIELDS + 1,
  fileSize: MAX_LIST_BYTES,
  fieldSize: MAX_LIST_BYTES,
  fieldNameSize: 100,
  headerPairs: 20,
}
