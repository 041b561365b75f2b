/**
 * Words of a host label or of the first folder of a path → what is behind such a link. Sites often run a system of its own for each of
 * these purposes.
 */
const PURPOSES: Readonly<Record<string, string>> = {
  shop: 'shop store shops stores cart basket boutique tienda negozio loja winkel laden sklep butik warenkorb panier products merch',
  blog: 'blog blogs news newsroom journal magazine magazin stories insights aktuelles actualites noticias notizie nieuws',
  login:
    'login signin account accounts konto anmelden connexion portal dashboard app members member my client clients customer kunden',
  careers: 'careers career jobs job karriere stellen emploi empleo lavora vacatures',
  help: 'help support helpcenter helpdesk hilfe faq kb knowledge aide ayuda soporte',
  docs: 'docs doc documentation developer developers dev handbook manual reference guide guides',
  community: 'community forum forums discuss board',
  wiki: 'wiki wikis',
  courses: 'academy learn learning courses course kurse training university school',
  booking: 'booking bookings book reserve reservation reservations tickets events event calendar',
  status: 'status',
}

const BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(PURPOSES).flatMap(([purpose, words]) => words.split(' ').map((word) => [word, purpose])),
)

/** Finds the purpose that a host label or the folder of a path names, alone or as one of its words; null if there is none. */
export function findPurpose(name: string): string | null {
  const lower = name.toLowerCase().replace(/\.[a-z]+$/, '')
  const whole = BY_WORD.get(lower.replace(/[-_]/g, ''))
  if (whole !== undefined) return whole
  for (const word of lower.split(/[-_]/)) {
    const purpose = BY_WORD.get(word)
    if (purpose !== undefined) return purpose
  }
  return null
}

/** Names of folders and files that do something, or that are not pages for people. */
const ACTIONS: ReadonlySet<string> = new Set(
  (
    'add remove delete edit vote like share print download feed rss atom checkout graphql oauth sso saml callback track ' +
    'redirect out click api'
  ).split(' '),
)
/** The same for names of several words, without what separates them: what follows does not matter. */
const LONG_ACTIONS =
  /^(?:log(?:out|off)|sign(?:out|off)|abmelden|ausloggen|deconnexion|cerrarsesion|unsubscribe|addto|removefrom|wpjson|wpadmin|wpcontent|wpincludes|xmlrpc|cgibin|cdncgi|wellknown)/

/** Whether the folder or file of a path names an action, such as a log-out or a cart that the request would change. */
export function namesAction(segment: string): boolean {
  const plain = segment
    .toLowerCase()
    .replace(/\.[a-z]+$/, '')
    .replace(/[^a-z0-9]/g, '')
  return ACTIONS.has(plain) || LONG_ACTIONS.test(plain)
}
