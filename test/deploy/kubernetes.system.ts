import { expect, test } from 'vitest'
import { find, KINDS, type Kind, type Manifest, manifests } from './kubernetes.ts'
import { findTypeErrors, type TypedValue } from './programs.ts'

const typed = (manifest: Manifest): TypedValue => {
  const module = `kubernetes-models/${KINDS[manifest.kind as Kind][1]}`
  return { name: `${manifest.kind} ${manifest.metadata.name}`, module, type: `I${manifest.kind}`, value: manifest }
}

test('the manifests have no unknown keys', () => {
  expect(findTypeErrors(manifests.map(typed))).toEqual([])
})

test('an unknown key of a manifest is reported', () => {
  const unknown = { ...find<Manifest>('PodDisruptionBudget'), spec: { maxUnavailabel: 1 } }
  expect(findTypeErrors([typed(unknown)])).toEqual([expect.stringMatching(/'"maxUnavailabel"' does not exist/)])
})
