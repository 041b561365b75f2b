/** The kinds of side evidence: what a scan collects in addition to the page. */
export const EVIDENCE = ['dns', 'tls', 'robots', 'favicon'] as const
export type EvidenceKind = (typeof EVIDENCE)[number]
