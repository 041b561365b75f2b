import type { ReportSite } from '../../src/report/site.ts'

/** A site with a result. */
export const SITE: ReportSite = {
  name: 'a.example',
  link: null,
  failure: null,
  state: null,
  builder: 'WordPress',
  isAiNative: false,
  confidence: 'high',
  hosting: 'Netlify',
  network: null,
  reverseDns: null,
  tlsError: null,
  siteType: 'blog',
  technologies: ['PHP', 'WordPress'],
  parts: [],
  versions: new Map(),
  ended: [],
}
