import { describe, expect, test } from 'vitest'
import { buildPage, detect, type PageInput } from '../../src/index.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'

const ruleset = openOwnRuleset()
const find = (input: PageInput): string | null => detect(ruleset, buildPage(input)).siteType

const SHOP = `<nav><a href="/cart">Cart</a> <a href="/checkout">Checkout</a> <a href="/collections/mugs">Mugs</a> <a href="/collections/bowls">Bowls</a>
  <a href="/collections/jugs">Jugs</a> <a href="/my-account">My account</a> <a href="/shipping">Shipping</a> <a href="/returns">Returns</a> <a href="/gift-cards">Gift cards</a></nav>`
const SHOP_FOOTER = `<footer>Free shipping above 40 pounds. Visa, Mastercard, PayPal. <a href="/return-policy">Return policy</a></footer>`
const PAPER = `<nav><a href="/politics">Politics</a> <a href="/world">World</a> <a href="/business">Business</a> <a href="/sport">Sport</a> <a href="/opinion">Opinion</a>
  <a href="/culture">Culture</a> <a href="/obituaries">Obituaries</a> <a href="/weather">Weather</a> <a href="/newsletters">Newsletters</a> <a href="/rss">RSS</a> <a href="/advertise">Advertise with us</a></nav>`
const buildDocument = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`
const FORM = `<form action="/login" method="post"><label>E-mail <input type="email" name="email"></label> <label>Password <input type="password" name="password"></label>
  <button>Log in</button></form> <a href="/forgot">Forgot your password?</a> Keep me signed in on this computer for two weeks, unless it is shared.`

describe('the site counts, not the page', () => {
  test.each<[page: string, PageInput, string | null]>([
    [
      'the front page of a newspaper',
      {
        url: 'https://www.fjordpost.example/',
        html: buildDocument(
          'Fjord Post: news from the coast',
          `${PAPER}${'<h2><a href="/politics/1">Council votes on ferry</a></h2>'.repeat(14)}<p>Most read, Breaking news. Photo: AP, (Reuters)</p>`,
        ),
      },
      'news',
    ],
    [
      'an article of a newspaper',
      {
        url: 'https://www.fjordpost.example/politics/2024/ferry',
        html: buildDocument(
          'Council votes on ferry | Fjord Post',
          `${PAPER}<article><p class="byline">By Ida Strand</p><p>The council voted on Tuesday for a new ferry, the mayor told reporters, and the old one, she said in a statement, will be sold before the winter timetable begins.</p><p>(Reuters)</p></article>`,
        ),
      },
      'news',
    ],
    [
      'the front page of a shop',
      {
        url: 'https://www.larkpottery.example/',
        html: buildDocument(
          'Larkfield Pottery: shop for mugs and bowls',
          `${SHOP}<h1>New arrivals</h1><div class="product"><a href="/products/mug">Grey mug</a> <span class="price">£14</span></div><div class="product"><a href="/products/jug">Jug</a> <span class="price">£34</span></div><button>Add to cart</button>${SHOP_FOOTER}`,
        ),
      },
      'ecommerce',
    ],
    [
      'a product of a shop',
      {
        url: 'https://www.larkpottery.example/products/mug',
        html: buildDocument(
          'Grey mug | Larkfield Pottery',
          `${SHOP}<h1>Grey mug</h1><span class="price">£14</span><form action="/cart/add"><input name="quantity"><button>Add to cart</button></form><p>Thrown by hand, glazed in grey, holds a third of a litre and survives the dishwasher. In stock.</p>${SHOP_FOOTER}`,
        ),
      },
      'ecommerce',
    ],
    [
      'nothing but a form to log in',
      { url: 'https://app.larkfield.example/login', html: buildDocument('Log in', FORM) },
      'app',
    ],
    [
      'a form to log in with the navigation of a shop',
      {
        url: 'https://www.larkpottery.example/account/login',
        html: buildDocument(
          'Log in | Larkfield Pottery',
          `${SHOP}<h1>Customer log in</h1>${FORM}<p>0 items. Your cart is empty.</p>${SHOP_FOOTER}`,
        ),
      },
      'ecommerce',
    ],
  ])('%s', (_, input, expected) => {
    expect(find(input)).toBe(expected)
  })
})

const shell = (id: string): string =>
  buildDocument(
    'Larkfield',
    `<div id="${id}"></div><noscript>Enable JavaScript to run this app.</noscript><script src="/main.js"></script>`,
  )
const message = (title: string, text: string): string => buildDocument(title, `<h1>${title}</h1><p>${text}</p>`)
const json = { 'content-type': 'application/json' }

describe('no type', () => {
  test.each<[page: string, PageInput]>([
    [
      'an error response',
      { status: 404, html: buildDocument('Larkfield Pottery: shop', `${SHOP}<p>Add to cart</p>${SHOP_FOOTER}`) },
    ],
    ['JSON', { headers: json, html: '{"products": ["cart", "checkout"]}' }],
    ['PDF', { headers: { 'content-type': 'application/pdf' }, html: '%PDF-1.7 politics opinion sport' }],
    ['an empty document', { html: '' }],
    ['a shell of React', { html: shell('root') }],
    ['a shell of Vue', { html: shell('app') }],
    ['a shell of Next.js', { html: shell('__next') }],
    [
      'an error with status 200',
      {
        html: message(
          'Page not found',
          'The page you are looking for does not exist or has been moved. Check the address, or go back to the start page of this site and try again.',
        ),
      },
    ],
    [
      'an error in German',
      {
        html: message(
          'Seite nicht gefunden',
          'Die Seite existiert nicht oder wurde verschoben. Bitte prüfen Sie die Adresse oder gehen Sie zurück zur Startseite und versuchen Sie es dort noch einmal.',
        ),
      },
    ],
    [
      'a challenge',
      {
        html: message(
          'Just a moment...',
          'Checking your browser before accessing the site. This process is automatic, and your browser will redirect to your requested content shortly. Please allow up to five seconds.',
        ),
      },
    ],
    [
      'a wall',
      {
        html: message(
          'Larkfield',
          'You must be logged in to see this page. Please log in to continue, or ask the person who sent you the link for an invitation that has not expired.',
        ),
      },
    ],
    [
      'a rejected request',
      {
        html: message(
          'Access Denied',
          'You do not have permission to access this resource on this server. Reference #18.2f4c1602.1732270000.1a2b3c4d. Contact the administrator if you think that this is a mistake.',
        ),
      },
    ],
    [
      'maintenance',
      {
        html: message(
          'Under maintenance',
          'We are down for maintenance and will be back soon. Thank you for your patience while we work on the servers, and please try again later today.',
        ),
      },
    ],
    [
      'a list of files',
      {
        html: buildDocument(
          'Index of /pub',
          `<h1>Index of /pub</h1><pre>${'<a href="a.tar.gz">a.tar.gz</a> 2024-01-02 10:20 4.1M\n'.repeat(8)}</pre>`,
        ),
      },
    ],
  ])('%s', (_, input) => {
    expect(find(input)).toBe(null)
  })
})

/** Messages in the languages that pages are written in most: title, and a sentence of two or three lines. */
const MESSAGES: readonly (readonly [title: string, sentence: string])[] = [
  ['404 Not Found', 'The requested URL was not found on this server. Please check the address and try again.'],
  ['403 Forbidden', 'You do not have permission to access this resource on the server of this site.'],
  ['500 Internal Server Error', 'The server met an internal server error and could not complete your request.'],
  ['502 Bad Gateway', 'The proxy received an invalid answer. Please try again later, or contact the administrator.'],
  ['503 Service Unavailable', 'The service is temporarily unavailable because of maintenance. Please try again later.'],
  ['Too many requests', 'This request was blocked because we received unusual traffic from your network.'],
  ['Seite nicht gefunden', 'Die Seite existiert nicht oder wurde verschoben. Bitte prüfen Sie die Adresse.'],
  ['Zugriff verweigert', 'Sie haben keine Berechtigung, diese Seite zu sehen. Bitte melden Sie sich an.'],
  ['Page introuvable', "La page demandée n'existe pas ou a été déplacée. Vérifiez l'adresse, s'il vous plaît."],
  ['Accès refusé', "Vous n'avez pas l'autorisation de voir cette page de notre serveur."],
  ['Página no encontrada', 'La página que busca no existe o ha cambiado de dirección. Vuelva a intentarlo.'],
  ['Acceso denegado', 'No tiene permiso para ver esta página de nuestro servidor.'],
  ['Pagina non trovata', 'La pagina richiesta non esiste più oppure è stata spostata altrove.'],
  ['Página não encontrada', 'A página que procura não existe ou mudou de endereço. Tente mais uma vez.'],
  ['Страница не найдена', 'Запрошенная страница не существует или была перемещена. Проверьте адрес.'],
  ['Доступ запрещен', 'У вас нет прав на просмотр этой страницы. Обратитесь к администратору.'],
  ['Nie znaleziono strony', 'Strona nie istnieje albo została przeniesiona. Sprawdź adres i spróbuj ponownie.'],
  ['Pagina niet gevonden', 'Deze pagina bestaat niet of is verplaatst. Controleer het adres en probeer het opnieuw.'],
  ['ページが見つかりません', 'お探しのページは見つかりませんでした。アドレスをご確認ください。'],
  ['Just a moment...', 'Checking your browser before accessing the site. Please enable cookies and wait.'],
  ['Under maintenance', 'We are down for maintenance and will be back soon. Thank you for your patience.'],
  ['Larkfield', 'You must be logged in to see this page. Please log in to continue.'],
  ['Larkfield', 'Please sign in to view this page, or create an account to continue reading.'],
  ['Larkfield', 'Verify your age: you must be of legal drinking age to visit this site.'],
]
const FILLER =
  'If you followed a link to this address, please tell the owner of the page with the link. A search may help, too.'
const ROOTS = ['root', 'app', '__next', '__nuxt', '___gatsby', 'svelte', 'q-app', 'react-root']
/** Pages that say nothing about a site, in three lengths of messages, and with the shells that scripts fill. */
const MADE_PAGES: readonly PageInput[] = [
  ...MESSAGES.flatMap(([title, sentence]) => [
    { html: message(title, sentence) },
    { url: 'https://www.larkfield.example/a/b', html: message(title, `${sentence} ${FILLER}`) },
    { html: message(title, `${sentence} ${FILLER} <a href="/">Home</a> <a href="/contact">Contact</a>`) },
  ]),
  ...ROOTS.flatMap((id) => [{ html: shell(id) }, { url: 'https://www.larkfield.example/cart', html: shell(id) }]),
  ...['application/json', 'application/pdf', 'text/plain', 'text/xml', 'application/rss+xml', 'text/css'].flatMap(
    (type) => [
      { headers: { 'content-type': type }, html: `${SHOP}${SHOP_FOOTER}` },
      { headers: { 'content-type': type }, html: PAPER },
    ],
  ),
]

test(`at least nine in ten of ${MADE_PAGES.length} made pages have no type`, () => {
  const named = MADE_PAGES.flatMap((input) => {
    const type = find(input)
    return type === null ? [] : [`${type}: ${input.html}`]
  })
  expect(MADE_PAGES.length).toBe(100)
  expect(named.length, named.join('\n')).toBeLessThanOrEqual(10)
})
