import { makeVisible } from '../../engine/text/visible-text.ts'
import type { Key } from '../../keys/types.ts'
import type { FieldErrors } from '../form-errors.ts'
import { LinkButton } from './button.tsx'
import { Select } from './field.tsx'
import { Notice } from './notice.tsx'

/** The error of a form whose key was revoked meanwhile. */
export const UNUSABLE_KEY: FieldErrors = { key: 'This key can no longer be used. Choose another one.' }

interface KeyChoiceProps {
  /** The keys that can be charged; null if the store cannot list them. */
  readonly keys: readonly Key[] | null
  /** Id of the chosen key. */
  readonly value: string
  readonly errors?: FieldErrors | undefined
}

/** The choice of the key to charge; nothing if there is only one. */
export function KeyChoice({ keys, value, errors }: KeyChoiceProps) {
  if (keys === null || keys.length < 2) return null
  return (
    <Select
      name="key"
      label="Key to charge"
      options={keys.map((key) => [key.id, nameKey(key)])}
      value={value}
      errors={errors}
    />
  )
}

/** The name of a key and the end of its secret. */
export function nameKey({ name, secrets }: Key): string {
  return `${makeVisible(name, 60)} (…${secrets[0]?.lastFour ?? ''})`
}

/** What to do without a key that can be charged. */
export function NoKey() {
  return (
    <Notice kind="warning" title="You need an API key to scan">
      <p>A scan counts against the limits of one of your keys, and none of your keys can be used at the moment.</p>
      <p>
        <LinkButton href="/account/keys">Create a key</LinkButton>
      </p>
    </Notice>
  )
}
