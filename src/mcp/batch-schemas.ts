import { type Static, Type } from '@sinclair/typebox'
import { closedObject, list, orNull, stringOrNull } from '../scan/schema-builders.ts'

/** URLs of one submission: a message has at most 16 KB. */
const MAX_SUBMITTED_URLS = 200

const id = Type.String({ minLength: 1, maxLength: 100, description: 'Id of the batch, from submit_batch.' })

/** Input of `submit_batch`. */
export const SUBMIT_INPUT = closedObject({
  urls: list(Type.String({ minLength: 1, maxLength: 2048 }), {
    minItems: 1,
    maxItems: MAX_SUBMITTED_URLS,
    description: 'One to 200 websites, such as https://example.org or example.org. Each success is one scan.',
  }),
  fresh: Type.Optional(Type.Boolean({ description: 'Scan again, although results of the last hour are stored.' })),
})
export type SubmitInput = Static<typeof SUBMIT_INPUT>

/** Input of `batch_status`. */
export const STATUS_INPUT = closedObject({ id })
export type StatusInput = Static<typeof STATUS_INPUT>

/** Input of `batch_results`. */
export const RESULTS_INPUT = closedObject({
  id,
  cursor: Type.Optional(
    Type.String({
      pattern: '^[\\w.=-]{0,200}~\\d{1,6}$',
      maxLength: 300,
      description: 'The value of next in the former answer. Leave it out to begin.',
    }),
  ),
})
export type ResultsInput = Static<typeof RESULTS_INPUT>

/** Output of `submit_batch` and `batch_status`. */
export const BATCH_OUTPUT = Type.Object({
  id: Type.String(),
  status: Type.String({ description: 'waiting, running, paused, completed or cancelled.' }),
  reason: stringOrNull({ description: 'Why it is paused or was cancelled.' }),
  total: Type.Integer(),
  waiting: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  failures: Type.Record(Type.String(), Type.Integer(), { description: 'Code of an error → number of URLs.' }),
  secondsLeft: orNull(Type.Integer()),
})
export type BatchOutput = Static<typeof BATCH_OUTPUT>

/** Output of `batch_results`. */
export const RESULTS_OUTPUT = Type.Object({
  results: list(
    Type.Object({
      position: Type.Integer({ description: 'Place in the submitted list, from 0.' }),
      requested: Type.String(),
      url: Type.Optional(stringOrNull()),
      builder: Type.Optional(stringOrNull()),
      confidence: Type.Optional(stringOrNull()),
      category: Type.Optional(stringOrNull()),
      hosting: Type.Optional(stringOrNull()),
      siteType: Type.Optional(stringOrNull()),
      technologies: Type.Optional(list(Type.String())),
      cameBack: Type.Optional(
        Type.String({ description: 'What came back instead of the site, for example wall or parked.' }),
      ),
      error: stringOrNull(),
    }),
  ),
  next: stringOrNull({ description: 'The cursor of the next call; null at the end of a batch that has ended.' }),
})
export type ResultsOutput = Static<typeof RESULTS_OUTPUT>
