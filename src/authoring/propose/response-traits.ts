import type { Page } from '../../engine/page/page-types.ts'
import { readProduct } from './markup-traits.ts'
import { findDomain, type Trait, type WordFilter } from './trait.ts'

/** Headers whose value names a product. */
const PRODUCT_HEADERS = ['server', 'x-powered-by', 'x-generator', 'powered-by']
/** Headers that begin with `x-` and that any server may send. */
const COMMON_HEADERS =
  /^x-(?:frame|xss|content|request|cache|served|timer|dns|download|permitted|ua|robots|runtime|forwarded|amz|cdn|vary|turbo|ratelimit|correlation|trace)/

/** Finds unusual headers, cookies and DNS records. */
export function findResponseTraits(page: Page, filter: WordFilter): Trait[] {
  return [...findHeaders(page, filter), ...findCookies(page, filter), ...findRecords(page, filter)]
}

function findHeaders({ headers }: Page, filter: WordFilter): Trait[] {
  return (headers ?? []).flatMap(([name, value]): Trait[] => {
    if (PRODUCT_HEADERS.includes(name)) {
      const product = readProduct(value.replace('/', ' '))
      if (product === null || !filter.isOfVendor(product.name)) return []
      const clause = { header: name, [value.trim() === product.name ? 'is' : 'has']: product.name }
      return [{ clause, name: product.name, shown: { header: [name, product.name] } }]
    }
    const isPlain = /^[a-z][a-z0-9-]{2,60}$/.test(name) && !COMMON_HEADERS.test(name)
    if (!isPlain || !filter.isName(name) || !(name.startsWith('x-') || filter.isOfVendor(name))) return []
    return [{ clause: { header: name }, name, shown: { header: [name, '1'] } }]
  })
}

function findCookies({ headers }: Page, filter: WordFilter): Trait[] {
  return (headers ?? []).flatMap(([header, value]): Trait[] => {
    const [, name] = header === 'set-cookie' ? (/^\s*([\w.-]{3,60})=/.exec(value) ?? []) : []
    if (name === undefined || !filter.isName(name)) return []
    return [{ clause: { cookie: name }, name, shown: { header: ['set-cookie', `${name}=1; Path=/`] } }]
  })
}

/** CNAME records lead to the platform that serves a site. */
function findRecords({ dns, url }: Page, filter: WordFilter): Trait[] {
  const own = url === null ? null : findDomain(url.host)
  return (dns?.cname ?? []).flatMap((record): Trait[] => {
    const domain = findDomain(record)
    if (domain === null || domain === own || !filter.isName(domain)) return []
    return [
      { clause: { dns: 'cname', under: `.${domain}` }, name: domain, shown: { dns: { cname: [`site.${domain}`] } } },
    ]
  })
}
