import { readdirSync } from 'node:fs'
import type { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import type { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { Service } from 'kubernetes-models/v1/Service'
import { describe, expect, test } from 'vitest'
import { kitPath, loadKitConfig, readKit } from './kit.ts'
import { find, isKind, KINDS, kustomization, type Manifest, manifests } from './kubernetes.ts'

/** Throws an error if a manifest does not match the schema of its kind. */
function validate(manifest: Manifest): void {
  if (!isKind(manifest.kind)) throw new Error(`no schema for ${manifest.kind}`)
  new KINDS[manifest.kind][0](manifest as never).validate()
}

describe('the manifests', () => {
  test('are all files of the folder, with different names', () => {
    expect([...kustomization.resources, 'kustomization.yaml'].sort()).toEqual(readdirSync(kitPath('kubernetes')).sort())
    const names = manifests.map(({ kind, metadata: { name } }) => `${kind} ${name}`)
    expect(names).toEqual([...new Set(names)])
  })

  test.each(manifests.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
    '%s %s matches the schema of Kubernetes',
    (_kind, _name, manifest) => {
      expect(() => validate(manifest)).not.toThrow()
    },
  )

  test('a wrong value is reported', () => {
    const budget = find<Manifest>('PodDisruptionBudget')
    expect(() => validate({ ...budget, spec: { unhealthyPodEvictionPolicy: 'Always' } } as Manifest)).toThrow()
  })
})

describe('the deployment', () => {
  const pod = find<Deployment>('Deployment').spec?.template?.spec
  if (pod === undefined || pod === null) throw new Error('the deployment has no pod')
  const [container] = pod.containers
  const seconds = Number(container.lifecycle?.preStop?.exec?.command?.[1])

  test('has the user of the image, no privileges, and limits', () => {
    expect(readKit('../Dockerfile')).toMatch(/^USER node$/m)
    // The images of Node give the user `node` this id.
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000 })
    expect(pod).toMatchObject({ automountServiceAccountToken: false })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.resources).toHaveProperty('requests.cpu')
    expect(container.resources).toHaveProperty('limits.memory')
  })

  test('leaves enough time for a stop', () => {
    const [, drain] = /const DRAIN_MS = (\d+)/.exec(readKit('../src/compose.ts')) ?? []
    const [, pending] = /for at most (\d+) seconds\. A second signal/.exec(readKit('../docs/operating.md')) ?? []
    const needed = seconds + Number(drain) / 1000 + Number(pending)
    expect(needed).toBe(26)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed)
  })

  test('has the ports of its settings, and of the services and policies', () => {
    const { data = {} } = find<{ data: Record<string, string> }>('ConfigMap', 'siteprint-settings')
    const ports = new Map((container.ports ?? []).map(({ name, containerPort }) => [String(name), containerPort]))
    const [, http] = /^EXPOSE (\d+)$/m.exec(readKit('../Dockerfile')) ?? []
    expect(Object.fromEntries(ports)).toEqual({ http: Number(http), metrics: Number(data.METRICS_PORT) })
    const targets = ['siteprint', 'siteprint-metrics'].flatMap((name) =>
      (find<Service>('Service', name).spec?.ports ?? []).map(({ targetPort }) => targetPort),
    )
    const sources = (find<NetworkPolicy>('NetworkPolicy').spec?.ingress ?? []).flatMap(({ ports: open = [] }) =>
      (open ?? []).map(({ port }) => port),
    )
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
    expect([targets, sources]).toEqual([[...ports.keys()], [...ports.keys()]])
    expect(probes.map((probe) => probe?.httpGet?.port)).toEqual(['http', 'http', 'http'])
  })

  test('has settings that are valid, and reads its secrets from the volume of the secret', () => {
    const { data } = find<{ data: Record<string, string> }>('ConfigMap', 'siteprint-settings')
    const [mount] = container.volumeMounts ?? []
    const config = loadKitConfig(data, `${mount.mountPath}/`)
    expect(config).toMatchObject({ metricsHost: '0.0.0.0', trustProxy: 1, signUp: 'off' })
    for (const secret of [config.keyPepper, config.authSecret, config.mongodbUrl, config.redisUrl])
      expect(secret).not.toBeNull()
    const names = Object.values(data).flatMap((value) =>
      value.startsWith(mount.mountPath) ? value.split('/').at(-1) : [],
    )
    const [, command] = /kubectl create secret generic siteprint (.*?)```/s.exec(readKit('README.md')) ?? []
    expect([...String(command).matchAll(/--from-file=([\w-]+)/g)].map(([, name]) => name)).toEqual(names)
    expect(container.envFrom).toEqual([{ configMapRef: { name: 'siteprint-settings' } }])
  })

  test('every selector matches the pods', () => {
    const { labels } = find<Deployment>('Deployment').spec?.template?.metadata ?? {}
    const selectors = [
      find<Deployment>('Deployment').spec?.selector.matchLabels,
      find<PodDisruptionBudget>('PodDisruptionBudget').spec?.selector?.matchLabels,
      find<Service>('Service').spec?.selector,
      find<Service>('Service', 'siteprint-metrics').spec?.selector,
    ]
    for (const selector of selectors) expect(selector).toEqual(labels)
  })
})

test('the workers have the settings, the user and the network policy of the servers, and a selector of their own', () => {
  const [server, worker] = ['siteprint', 'siteprint-worker'].map((name) => find<Deployment>('Deployment', name).spec)
  const [a, b] = [server?.template?.spec, worker?.template?.spec]
  const { envFrom, volumeMounts, securityContext } = a?.containers[0] ?? {}
  expect(b?.containers[0]).toMatchObject({ envFrom, volumeMounts, securityContext })
  expect(b?.securityContext).toEqual(a?.securityContext)
  const names = [server, worker].map((spec) => spec?.template?.metadata?.labels?.['app.kubernetes.io/name'])
  expect(worker?.selector.matchLabels).toEqual(worker?.template?.metadata?.labels)
  expect(find<Service>('Service', 'siteprint-worker-metrics').spec?.selector).toEqual(worker?.selector.matchLabels)
  const policy = find<NetworkPolicy>('NetworkPolicy').spec?.podSelector.matchExpressions
  expect(policy).toEqual([{ key: 'app.kubernetes.io/name', operator: 'In', values: names }])
})
