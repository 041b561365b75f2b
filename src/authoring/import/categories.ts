import type { Categories } from '../../engine/rule/types.ts'
import { toSlug } from './slugs.ts'

/** A category of technologies: its folder and its title. */
export interface ImportedCategory {
  readonly key: string
  /** Absent if the rules of the project have the category. */
  readonly title?: string
}

/**
 * Numbers of the format that have a category of ours. Numbers that are not listed get a category of their own, with the name that
 * the fingerprints give it.
 */
const OURS: Readonly<Record<string, readonly number[]>> = {
  accessibility: [68],
  advertising: [36, 77],
  affiliate: [71, 94],
  ai: [112],
  analytics: [10, 78],
  animation: [25, 105],
  audio: [38],
  auth: [69],
  booking: [72, 93, 104],
  'build-tool': [44, 47],
  cdn: [31],
  comment: [15],
  'cookie-consent': [67],
  crm: [53],
  'css-framework': [66],
  'customer-data': [86, 97],
  database: [3, 34],
  document: [50, 95],
  ecommerce: [6, 98, 106, 107, 108],
  'email-marketing': [75],
  experimentation: [74, 85],
  font: [17],
  form: [110],
  'javascript-framework': [12],
  'javascript-library': [59],
  language: [27],
  'live-chat': [52],
  lms: [21],
  map: [35, 79],
  marketing: [32],
  'operating-system': [28],
  'page-builder': [51],
  payment: [41, 91],
  performance: [23, 92],
  personalization: [76],
  'product-tour': [58],
  recruiting: [101],
  review: [90],
  search: [29],
  security: [16, 70],
  seo: [54],
  shipping: [99, 102],
  'shopify-app': [100],
  slider: [7],
  social: [96],
  subscription: [84],
  survey: [73],
  'tag-manager': [42],
  theme: [80, 81, 82],
  translation: [89],
  'ui-kit': [26],
  video: [14, 103],
  'web-framework': [18],
  'web-server': [22, 33, 64, 65],
  'wordpress-plugin': [87],
}

/** Numbers without a category of ours, and the category that is added for them. */
const ADDED: Readonly<Record<number, readonly [key: string, title: string]>> = {
  1: ['cms', 'Content management'],
  2: ['forum', 'Forums'],
  8: ['wiki', 'Wikis'],
  11: ['blog', 'Blogs'],
  57: ['static-site', 'Static site generation'],
  62: ['hosting', 'Hosting'],
  63: ['hosting', 'Hosting'],
  88: ['hosting', 'Hosting'],
}
const OTHER: readonly [string, string] = ['other', 'Other']

const BY_NUMBER: ReadonlyMap<number, string> = new Map(
  Object.entries(OURS).flatMap(([key, numbers]) => numbers.map((number) => [number, key] as const)),
)

/**
 * Finds the category of a number: one that the project has under this number or this name, or one that the imported rules get.
 * @param name what the fingerprints call the number, if they do
 */
export function findCategory(number: number, name: string | undefined, { technologies }: Categories): ImportedCategory {
  const known = BY_NUMBER.get(number) ?? findByName(name, technologies)
  if (known !== undefined && Object.hasOwn(technologies, known)) return { key: known }
  const [key, title] = ADDED[number] ?? (name === undefined ? OTHER : [toSlug(name) || OTHER[0], name])
  return Object.hasOwn(technologies, key) ? { key } : { key, title: name ?? title }
}

function findByName(name: string | undefined, technologies: Categories['technologies']): string | undefined {
  const wanted = name?.toLowerCase()
  return Object.keys(technologies).find(
    (key) => wanted !== undefined && [key, technologies[key].toLowerCase()].includes(wanted),
  )
}
