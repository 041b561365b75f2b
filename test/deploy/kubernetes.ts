import { Deployment as DeploymentModel, type IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'
import { readYaml } from './kit.ts'

/** A document of deployment.yaml: the deployment, or the service account, which has no `spec`. */
export type Deployment = Partial<IDeployment>

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
}
interface Kustomization {
  readonly resources: readonly string[]
}

/** Kind → its schema, and the module of its type. */
export const KINDS = {
  ConfigMap: [ConfigMap, 'v1/ConfigMap'],
  Deployment: [DeploymentModel, 'apps/v1/Deployment'],
  NetworkPolicy: [NetworkPolicy, 'networking.k8s.io/v1/NetworkPolicy'],
  PodDisruptionBudget: [PodDisruptionBudget, 'policy/v1/PodDisruptionBudget'],
  Service: [Service, 'v1/Service'],
  ServiceAccount: [ServiceAccount, 'v1/ServiceAccount'],
} as const
export type Kind = keyof typeof KINDS
export const isKind = (kind: string): kind is Kind => Object.hasOwn(KINDS, kind)

/** The manifests of the kit. */
export const [kustomization] = readYaml<Kustomization>('kubernetes/kustomization.yaml')
export const manifests = kustomization.resources.flatMap((file) => readYaml<Manifest>(`kubernetes/${file}`))
/** Finds a manifest by its kind and name. */
export const find = <Found>(kind: Kind, name = 'siteprint'): Found =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name) as Found
