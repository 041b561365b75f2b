import type { Network } from './network-table.ts'

/** Names a network for people: `Hetzner Online GmbH (AS24940)`. */
export function formatNetwork({ asn, name }: Network): string {
  return `${name} (AS${asn})`
}
