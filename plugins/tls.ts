import type { Detector } from '../src/engine/page/detector.ts'

export const tls: Detector = {
  key: 'tls',
  about: 'The certificate: its issuer (organisation) or its names (each)',
  family: 'network',
  word: 'name',
  names: ['issuer', 'name'],
  hostingProof: 7,
  seen: (page) => page.tls !== null,
  *read({ tls }) {
    if (tls?.issuer) yield { name: 'issuer', text: tls.issuer }
    for (const text of tls?.names ?? []) yield { name: 'name', text }
  },
}
