import { describe, expect, it } from 'vitest'
import { HOSTILE } from '../../tools/bench/hostile/hostile-servers.ts'
import { isAboutEvidence, judge, LATE_MS, reachesDeadline, scan } from './hostile-scan.ts'

// Those that only a time limit ends are in the system suite.
const servers = HOSTILE.filter((server) => !reachesDeadline(server) && !isAboutEvidence(server))

describe('a site that', () => {
  it.each(servers.map((server) => [server.name, server] as const))('%s', async (_name, { open, expected }) => {
    const site = await open()
    try {
      const result = await scan(site, { deadlineMs: LATE_MS }, { evidence: [] })
      expect(result.left).toEqual([])
      judge(result, expected)
    } finally {
      await site.close()
    }
  })
})
