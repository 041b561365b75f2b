import type { Detector } from '../src/engine/page/detector.ts'
import { NETWORK_RANK } from '../src/engine/rule/place.ts'

export const dns: Detector = {
  key: 'dns',
  about:
    'A DNS record, by type, or by type and label (`txt _vercel`); each record. `ptr` is the name of the address, if it has the address',
  family: 'network',
  word: 'name',
  names: ['a', 'aaaa', 'cname', 'ns', 'mx', 'soa', 'txt', 'ptr'],
  labels: true,
  hostingProof: { cname: 3, a: 4, aaaa: 4, txt: 6, soa: 9, ns: 9, ptr: NETWORK_RANK },
  // The holder of an address writes its name.
  maxWeight: { ptr: 'weak' },
  seen: (page, word) => page.dns?.[word.toLowerCase()] !== undefined,
  *read({ dns }, wanted) {
    for (const [name, records] of Object.entries(dns ?? {})) {
      if (wanted.has(name)) for (const text of records) yield { name, text }
    }
  },
}
