import type { Detector } from '../src/engine/page/detector.ts'
import { NETWORK_RANK } from '../src/engine/rule/place.ts'
import { listRanges } from '../src/engine/text/ip-ranges.ts'

export const network: Detector = {
  key: 'network',
  about:
    'The network of the address that answered, by the number of its autonomous system, or a range of addresses that contains it; the address and the operator',
  family: 'network',
  word: 'name',
  wordForm: {
    says: 'the number of an autonomous system, such as 24940, or a range of addresses, such as 192.0.2.0/24',
    pattern: '^(?:[1-9]\\d{0,9}|[\\d.]{7,15}/\\d{1,2}|[\\da-f]{1,4}:[\\da-f:]*:/\\d{1,2})$',
  },
  hostingProof: NETWORK_RANK + 1,
  // A platform may run in the network of another provider.
  maxWeight: 'medium',
  seen: ({ network, address }, word) => (word.includes('/') ? address : network) !== null,
  *read({ network, address }, wanted) {
    const isKnown = network !== null && network !== 'unknown'
    const place = `address ${address ?? 'unknown'}${isKnown ? ` in AS${network.asn} (${network.name})` : ''}`
    if (isKnown && wanted.has(`${network.asn}`)) yield { name: `${network.asn}`, text: place }
    const ranges = address === null ? [] : listRanges(address)
    for (const range of ranges) if (wanted.has(range)) yield { name: range, text: `${place}, range ${range}` }
  },
}
