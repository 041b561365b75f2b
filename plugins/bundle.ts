import { buildBodyDetector } from './body-detector.ts'

export const bundle = buildBodyDetector(
  'bundle',
  'The text of a script that the page loads from its own site',
  'bundles',
)
