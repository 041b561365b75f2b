import type { Detector } from '../src/engine/page/detector.ts'
import { NETWORK_RANK } from '../src/engine/rule/place.ts'

export const network: Detector = {
  key: 'network',
  about:
    'The network of the address that answered, by the number of its autonomous system; the address and the operator',
  family: 'network',
  word: 'name',
  wordForm: { says: 'the number of an autonomous system, such as 24940', pattern: '^[1-9]\\d{0,9}$' },
  hostingProof: NETWORK_RANK + 1,
  // A platform may run in the network of another provider.
  maxWeight: 'medium',
  seen: (page) => page.network !== null,
  *read({ network }, wanted) {
    if (network === null || network === 'unknown') return
    const [number, { asn, name, address }] = [`${network.asn}`, network]
    if (wanted.has(number)) yield { name: number, text: `address ${address ?? 'unknown'} in AS${asn} (${name})` }
  },
}
