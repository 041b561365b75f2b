import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Policy } from '../fetch/policy.ts'
import type { Resolver } from '../fetch/resolver.ts'
import type { Batch, BatchWebhook, WebhookAttempt } from '../store/batch-types.ts'
import type { Store } from '../store/types.ts'

/**
 * Waits between the attempts, in milliseconds: 10 s, 1 min, 5 min, 30 min, 2 h, 5 h, 8 h, 8 h. Together a day, as Standard Webhooks
 * recommends.
 */
const WAITS_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 28_800_000, 28_800_000] as const
const TIMEOUT_MS = 10_000
/** The receiver no longer wants requests: 410, as Standard Webhooks defines it. */
const GONE = 410

interface SenderParts {
  readonly store: Pick<Store, 'batches'>
  readonly policy: Policy
  /** The secret that API keys are hashed with, from which those of webhooks are derived. */
  readonly pepper: string
  readonly clock: () => number
  /** Tests supply their own. */
  readonly resolver?: Resolver
}

/** Derives the secret with which the webhooks of a counter are signed, in the form of Standard Webhooks. */
export function buildWebhookSecret(counter: string, pepper: string): string {
  return `whsec_${createHmac('sha256', pepper).update(`webhook:${counter}`).digest('base64')}`
}

/** Sends the webhooks of ended batches: https://www.standardwebhooks.com. */
export class WebhookSender {
  readonly #parts: SenderParts

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** Makes one attempt, and notes it. Several processes may do so at once: receivers know a message by its id. */
  async send(batch: Batch): Promise<void> {
    const { webhook } = batch
    if (webhook === null || webhook.nextAt === null) return
    const attempt = await this.#attempt(batch, webhook)
    const attempts = [...webhook.attempts, attempt]
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
    const wait = attempt.status === GONE ? undefined : WAITS_MS[attempts.length - 1]
    const isOver = isDelivered || wait === undefined
    const change: BatchWebhook = {
      url: webhook.url,
      state: isDelivered ? 'delivered' : isOver ? 'failed' : 'waiting',
      attempts,
      nextAt: isOver ? null : this.#parts.clock() + wait,
    }
    await this.#parts.store.batches.changeBatch(batch.id, ['completed', 'cancelled'], { webhook: change })
  }

  async #attempt(batch: Batch, { url }: BatchWebhook): Promise<WebhookAttempt> {
    const now = this.#parts.clock()
    const at = new Date(now).toISOString()
    try {
      return { at, status: await this.#post(url, batch, now), error: null }
    } catch (error) {
      return { at, status: null, error: describeFailure(error) }
    }
  }

  /** @returns the status of the response, whose body is not read. Redirects are not followed */
  async #post(url: string, batch: Batch, now: number): Promise<number> {
    const { policy, pepper, resolver } = this.#parts
    const { postChecked } = await import('../fetch/post.ts') // Loads undici, which takes a tenth of the start time.
    const body = formatMessage(batch, now)
    // The id is that of the end of the batch, so that a receiver recognizes a repeated message.
    const id = `msg_${batch.id}_${batch.finishedAt?.getTime() ?? 0}`
    const timestamp = new Date(now)
    const signature = new Webhook(buildWebhookSecret(batch.counter, pepper)).sign(id, timestamp, body)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': signature,
    }
    return await postChecked(url, { policy, headers, body, timeoutMs: TIMEOUT_MS, ...(resolver && { resolver }) })
  }
}

function formatMessage({ id, status, reason, total, finishedAt }: Batch, now: number): string {
  const timestamp = new Date(finishedAt ?? now).toISOString()
  return JSON.stringify({ type: `batch.${status}`, timestamp, data: { id, status, reason, total } })
}

/** Says why there was no response, without an address: it may be one that the client must not learn. */
function describeFailure(error: unknown): string {
  const { reason, name } = error as { readonly reason?: string; readonly name?: string }
  if (reason === 'address_refused' || reason === 'name_not_found') return 'the host was not found'
  if (name === 'TimeoutError' || reason === 'deadline') return `no response within ${TIMEOUT_MS / 1000} s`
  return 'the connection failed, or the certificate is not valid'
}
