import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFolder, type RunningService, startService } from '../service/start-service.ts'
import { smallProject } from '../support/built-project.ts'
import { until } from '../support/until.ts'
import { readKit, readYaml } from './kit.ts'
import type { Deployment } from './kubernetes.ts'
import { listMetrics } from './promql.ts'

let service: RunningService
beforeAll(async () => {
  service = await startService(smallProject(), { DATA_DIR: makeFolder(), METRICS_PORT: '0' })
})
afterAll(async () => {
  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
})

test('has every metric of the rules and of the board', async () => {
  const findPort = (): string => /"port":(\d+),"msg":"metrics server started"/.exec(service.printed.stderr)?.[1] ?? ''
  await until(() => findPort() !== '', true)
  const metrics = await (await fetch(`http://127.0.0.1:${findPort()}/metrics`)).text()
  const types = new Map([...metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]))
  const missing = listMetrics().filter((series) => {
    const name = series.replace(/_(?:bucket|count|sum)$/, '')
    return types.get(series) === undefined && types.get(name) !== 'histogram'
  })
  expect(missing).toEqual([])
})

test('answers the probes of Kubernetes and of the image', async () => {
  const [pod] = readYaml<Deployment>('kubernetes/deployment.yaml').flatMap(({ spec }) => spec?.template?.spec ?? [])
  const { startupProbe, livenessProbe, readinessProbe } = pod.containers[0]
  const [, image] = /(\/health\/\w+)/.exec(readKit('../Dockerfile')) ?? []
  const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path)
  expect([...paths, image]).toEqual(['/health/live', '/health/live', '/health/ready', '/health/live'])
  for (const path of [...paths, image]) expect((await fetch(`${service.url}${path}`)).status).toBe(200)
})
