import { hasExpired, SECRET_PREFIX } from '../../keys/key.ts'
import type { Key } from '../../keys/types.ts'
import { Facts } from '../../views/facts.tsx'
import { formatNumber } from '../../views/format-text.ts'
import { listValidSecrets } from '../account-keys.ts'
import type { KeySlotUsage } from '../usage.ts'
import { DateTime } from './content.tsx'

/** The name of a key. Marks of direction in a name do not affect the text around it. */
export function KeyName({ name }: Pick<Key, 'name'>) {
  return <bdi>{name}</bdi>
}

/** The part of a secret by which its holder recognizes it. */
export function MaskedSecret({ secrets: [newest] }: Pick<Key, 'secrets'>) {
  return (
    <code>
      {SECRET_PREFIX}…{newest?.lastFour}
    </code>
  )
}

interface KeyFactsProps {
  readonly usage: KeySlotUsage
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The facts about a key that its owner wants to know. */
export function KeyFacts({ usage, now }: KeyFactsProps) {
  const { key, slot, used, limit, isShared, lastUsedAt } = usage
  const isRevoked = key.revokedAt !== null
  const lastUse = lastUsedAt === null ? 'Not in the last year' : <DateTime key="used" at={lastUsedAt} />
  return (
    <div class="key-facts">
      <Facts
        facts={[
          ['Key', <MaskedSecret key="secret" secrets={key.secrets} />],
          ['State', <KeyState key="state" of={key} now={now} />],
          ...(slot === null ? [] : [['Slot', `${slot}`] as const]),
          // A revoked key has no requests of its own: they are in its slot, where another key may be now.
          ...(isRevoked ? [] : [['Requests this month', `${formatNumber(used)} of ${formatNumber(limit)}`] as const]),
          ...(isRevoked && lastUsedAt === null ? [] : [['Last used', lastUse] as const]),
          ['Created', <DateTime key="created" at={key.createdAt} unit="day" />],
          ['API revision', key.revision === null ? 'Default' : `${key.revision}`],
        ]}
      />
      {!isRevoked && isShared && (
        <p class="quiet">Other keys were in this slot this month. Their requests count here, too.</p>
      )}
      <FormerSecrets of={key} now={now} />
    </div>
  )
}

function KeyState({ of: key, now }: { readonly of: Key; readonly now: number }) {
  const { revokedAt, expiresAt } = key
  if (revokedAt !== null)
    return (
      <>
        Revoked on <DateTime at={revokedAt} unit="day" />
      </>
    )
  if (expiresAt === null) return 'Active'
  return (
    <>
      {hasExpired(key, now) ? 'Expired on' : 'Active until'} <DateTime at={expiresAt} />
    </>
  )
}

/** Shows until when the previous secrets of a key can be used. */
function FormerSecrets({ of: key, now }: { readonly of: Key; readonly now: number }) {
  if (key.revokedAt !== null) return null
  return listValidSecrets(key, now).flatMap(({ hash, lastFour, expiresAt }) =>
    expiresAt === null
      ? []
      : [
          <p key={hash} class="quiet">
            The previous secret …{lastFour} stays valid until <DateTime at={expiresAt} />.
          </p>,
        ],
  )
}
