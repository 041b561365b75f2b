import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'

/** A document of deployment.yaml: the deployment, or the service account, which has no `spec`. */
export type Deployment = Partial<IDeployment>
