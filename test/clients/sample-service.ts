import { ScanError } from '../../src/errors.ts'
import { onePlan, openApp, type TestApp } from '../http/app-fixture.ts'
import { sampleScan } from '../support/sample-scan.ts'

/** The API in this process, on a free port, with the secret of a key. */
export interface SampleService {
  readonly app: TestApp
  readonly secret: string
  readonly baseUrl: string
}

/** Opens the API with invented results: `offline` in a URL cannot be reached, and `b.example` has no builder. */
export async function openSampleService(): Promise<SampleService> {
  const scan = async (url: string): ReturnType<TestApp['parts']['scan']> => {
    if (url.includes('offline')) throw new ScanError('unreachable')
    const scan = sampleScan(url)
    return url.includes('b.example') ? { ...scan, verdict: { ...scan.verdict, builder: null } } : scan
  }
  const app = await openApp({ settings: onePlan(1000, 1000), scan })
  const { secret } = await app.newKey({ plan: 'free' })
  return { app, secret, baseUrl: await app.fastify.listen({ port: 0, host: '127.0.0.1' }) }
}
