import { buildUrlDetector } from './url-detector.ts'

export const frame = buildUrlDetector('frame', 'loaded', 'The URL of an iframe, embed or object')
