import type { TSchema } from '@sinclair/typebox'
import type { Backend } from './backend.ts'

/** A tool: how it is described to a client, and what it does. */
export interface Tool {
  readonly title: string
  readonly description: string
  readonly input: TSchema
  readonly output: TSchema
  /** Whether it requests websites. */
  readonly isOpenWorld: boolean
  /** Whether each call starts work of its own; false by default. */
  readonly isSubmission?: boolean
  /** @throws ToolError */
  run(input: unknown, backend: Backend): Promise<object>
}
