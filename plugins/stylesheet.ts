import { buildBodyDetector } from './body-detector.ts'

export const stylesheet = buildBodyDetector(
  'stylesheet',
  'The text of a style sheet that the page links from its own site',
  'stylesheets',
)
