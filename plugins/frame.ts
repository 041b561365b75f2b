import { urlDetector } from './url-detector.ts'

export const frame = urlDetector('frame', 'loaded', 'The URL of an iframe, embed or object')
