import { buildUrlDetector } from './url-detector.ts'

export const script = buildUrlDetector('script', 'loaded', 'The URL of a script')
