import type { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEmailAddress } from '../accounts/form-rules.ts'
import { type AllowedAddress, normalizeHost, parseAllowed } from '../fetch/address.ts'
import { parseDirectoryUrl } from '../fetch/bot-identity.ts'
import { isDownloadUrl } from '../fetch/download.ts'
import { loadPlans, type PlanTable } from '../keys/plans.ts'
import { parsePublicKey } from '../rules/release-file.ts'
import { RELEASE_PUBLIC_KEY } from '../rules/release-key.ts'
import * as parse from './parsers.ts'
import { createNumberParser } from './reader.ts'
import {
  DATA_DIR,
  define,
  ENCODE_CREDENTIALS,
  LOG_LEVELS,
  LOOPBACK,
  parseSender,
  readBotKey,
  readDataDir,
  readExistingFile,
  readFolder,
  readList,
  readListenHost,
  readNumber,
  readOne,
  readOrigins,
  readPlans,
  readRuleFolders,
  readSwitch,
  readTrustedProxies,
  readWord,
  type Setting,
  WRITE_SECRET,
} from './setting.ts'

/** Field of the configuration → setting, in the order of the documentation. */
export const SETTINGS = {
  host: define({
    name: 'HOST',
    read: readListenHost,
    default: LOOPBACK,
    documentation: 'Address to listen on; `0.0.0.0` for all addresses.',
  }),
  port: define({
    name: 'PORT',
    read: readNumber(0, 65_535),
    default: 3000,
    documentation: 'Port of the API; 0 for any free port.',
  }),
  publicUrl: define<string | null>({
    name: 'PUBLIC_URL',
    read: readOne(
      parse.parsePublicUrl,
      'write the public http or https URL of the service, such as https://siteprint.example, without user, query and fragment',
    ),
    default: null,
    documentation:
      'URL that people and clients use. Only [its host](docs/operating.md#served-host-names) is served, and neither it nor `HOST` is ever scanned. Required for the portal with `TRUST_PROXY` or `SMTP_URL`. A path, such as `/siteprint`, is possible only with `PORTAL=off`. Without it, links begin with `http://HOST:PORT`.',
  }),
  allowedHosts: define<readonly string[]>({
    name: 'ALLOWED_HOSTS',
    read: readList(
      normalizeHost,
      'a host name such as siteprint.lan or an address such as 192.0.2.7, without scheme, port and path; patterns are not possible',
    ),
    default: [],
    documentation:
      'Comma-separated list of other names and addresses under which the service is [served](docs/operating.md#served-host-names). They are never scanned.',
  }),
  metricsHost: define({
    name: 'METRICS_HOST',
    read: readListenHost,
    default: LOOPBACK,
    documentation: 'Address on which `/metrics` is served.',
  }),
  metricsPort: define<number | null>({
    name: 'METRICS_PORT',
    read: readNumber(0, 65_535),
    default: null,
    documentation: 'Port of `/metrics` for Prometheus. Without it there are no metrics.',
  }),
  dataDir: define({
    name: 'DATA_DIR',
    read: readDataDir,
    default: () => resolve(DATA_DIR),
    shownDefault: `./${DATA_DIR}`,
    documentation: 'Folder of the embedded store and of fetched rules. It is created with access for its owner only.',
  }),
  cacheDir: define({
    name: 'CACHE_DIR',
    read: readFolder,
    default: () => join(homedir(), '.cache', 'siteprint'),
    shownDefault: '~/.cache/siteprint',
    documentation:
      'Folder in which the rules of `RULES_DIRS` are kept compiled, and what `rules -- lint` and `rules -- test` know of files that do not change. It can be deleted at any time; a start that cannot write it compiles the rules again.',
  }),
  networksFile: define<string | null>({
    name: 'NETWORKS_FILE',
    read: readExistingFile,
    default: null,
    documentation:
      'Database of networks in MMDB format (DB-IP, GeoLite2 ASN, IPinfo), which replaces the [table](docs/rules.md#networks) of the networks that rules name. It is read again when it is replaced.',
  }),
  redisUrl: define<string | null>({
    name: 'REDIS_URL',
    read: readOne(parse.parseRedisUrl, `write redis://host:port or rediss://host:port; ${ENCODE_CREDENTIALS}`),
    default: null,
    isSecret: true,
    documentation:
      '`redis://` or `rediss://` URL for rate limits, cache and locks of running scans, shared by all nodes. Without it each process has its own. May contain a password.',
  }),
  mongodbUrl: define<string | null>({
    name: 'MONGODB_URL',
    read: readOne(
      parse.parseMongodbUrl,
      `write mongodb://host:port/database or mongodb+srv://host/database; ${ENCODE_CREDENTIALS}`,
    ),
    default: null,
    isSecret: true,
    documentation:
      '`mongodb://` or `mongodb+srv://` URL for keys, usage and switches, shared by all nodes. Without it SQLite in `DATA_DIR` stores them. May contain a password.',
  }),
  keyPepper: define<string | null>({
    name: 'KEY_PEPPER',
    read: readOne(parse.parseSecret, WRITE_SECRET),
    default: null,
    isSecret: true,
    documentation:
      'Secret with which keys are hashed: at least 32 characters. Required with `MONGODB_URL`; otherwise the first start creates one in `DATA_DIR`. It can only be changed [together with KEY_PEPPER_OLD](docs/operating.md#a-new-pepper).',
  }),
  keyPepperOld: define<string | null>({
    name: 'KEY_PEPPER_OLD',
    read: readOne(parse.parseSecret, 'write the former pepper, which has at least 32 characters'),
    default: null,
    isSecret: true,
    documentation:
      'Another pepper with which keys are accepted, during a [change of the pepper](docs/operating.md#a-new-pepper).',
  }),
  plans: define<PlanTable>({
    name: 'PLANS_FILE',
    read: readPlans,
    default: () => loadPlans(),
    isLazy: true,
    shownDefault: 'src/keys/plans.yaml',
    documentation: 'File with the [plans](docs/operating.md#plans). SIGHUP reads it again.',
  }),
  apiRevision: define<1 | 2>({
    name: 'API_REVISION',
    read: readOne((text) => ({ '1': 1 as const, '2': 2 as const })[text] ?? null, 'write a number from 1 to 2'),
    default: 2,
    documentation: 'API revision, 1 or 2, of keys that are not pinned to one.',
  }),
  scanConcurrency: define({
    name: 'SCAN_CONCURRENCY',
    read: readNumber(1, 10_000),
    default: 64,
    documentation: 'Maximum number of concurrent scans in each process.',
  }),
  workerConcurrency: define({
    name: 'WORKER_CONCURRENCY',
    read: readNumber(1, 10_000),
    default: 16,
    documentation:
      'URLs of [batches](docs/batches.md) that a worker, or a server without Redis, scans at a time; at most half of `SCAN_CONCURRENCY` in a server. A worker takes fewer, down to 4, while its processors are the limit.',
  }),
  batchDays: define({
    name: 'BATCH_TTL',
    read: readNumber(1, 365),
    default: 7,
    documentation: 'Days for which the results of a [batch](docs/batches.md) are kept after its end.',
  }),
  scanAllow: define<readonly AllowedAddress[]>({
    name: 'SCAN_ALLOW',
    read: readList(parseAllowed, 'an address[/bits][:port]; write IPv6 addresses in brackets'),
    default: [],
    documentation:
      'Comma-separated list of non-public addresses that may be scanned, as `address[/bits][:port]`. For development; a start logs a warning.',
  }),
  scanPorts: define<readonly number[]>({
    name: 'SCAN_PORTS',
    read: readList(createNumberParser(1, 65_535), 'a port from 1 to 65535'),
    default: [80, 443],
    documentation: 'Comma-separated list of ports that may be scanned.',
  }),
  scanDeny: define<readonly string[]>({
    name: 'SCAN_DENY',
    read: readList(parse.parseDeniedHost, 'a host such as example.org or 192.0.2.7, without scheme, port and path'),
    default: [],
    documentation:
      'Comma-separated list of hosts that are never scanned, including their subdomains: `example.org, 192.0.2.7`, without scheme, port and path.',
  }),
  scanScripts: define<boolean>({
    name: 'SCAN_SCRIPTS',
    read: readSwitch,
    default: true,
    shownDefault: 'on',
    documentation:
      'Whether scans also fetch up to four scripts and two style sheets of the page and read them as text: `on` or `off`. [What is fetched](docs/fetching.md#scripts-and-style-sheets).',
  }),
  chromium: define<string | null>({
    name: 'CHROMIUM',
    read: readExistingFile,
    default: null,
    documentation:
      'File of Chromium, which [renders pages](docs/rendering.md) for the parameter `render` of the API and the option `--render` of `scan`. Without it, pages are not rendered.',
  }),
  browserUrl: define<string | null>({
    name: 'BROWSER_URL',
    read: readOne(
      parse.parseBrowserUrl,
      'write the DevTools address of a Chromium on this machine, such as http://127.0.0.1:9222. One elsewhere cannot use the proxies of this process',
    ),
    default: null,
    documentation:
      'DevTools address of a [Chromium that already runs](docs/rendering.md#a-browser-that-already-runs) on this machine, such as `http://127.0.0.1:9222`, instead of `CHROMIUM`.',
  }),
  renderConcurrency: define({
    name: 'RENDER_CONCURRENCY',
    read: readNumber(1, 100),
    default: 2,
    documentation:
      'Pages that Chromium renders at a time in each process of the service. Each may need up to 1 GB of memory.',
  }),
  chromiumSandbox: define<boolean>({
    name: 'CHROMIUM_SANDBOX',
    read: readSwitch,
    default: true,
    shownDefault: 'on',
    documentation:
      '`off` starts Chromium without its [sandbox](docs/rendering.md#sandbox), for containers in which it does not start otherwise, or accepts a running one without it. Each start warns of it.',
  }),
  contactUrl: define<string | null>({
    name: 'CONTACT_URL',
    read: readOne(parse.parseContactUrl, 'write an http, https or mailto URL'),
    default: null,
    documentation:
      'URL at which owners of scanned sites and users of the API can contact you. It is in the User-Agent of scans and in the OpenAPI documents.',
  }),
  botKey: define<KeyObject | null>({
    name: 'BOT_KEY_FILE',
    read: readBotKey,
    default: null,
    documentation:
      'File with the Ed25519 private key, as PEM or JWK, that [signs the requests of scans](docs/operating.md#signed-requests), so that sites can recognise them. `service -- bot-key` makes one. Required with `BOT_DIRECTORY_URL`.',
  }),
  botDirectory: define<string | null>({
    name: 'BOT_DIRECTORY_URL',
    read: readOne(
      parseDirectoryUrl,
      'write the https URL of the host at which this service publishes its key, such as https://siteprint.example, without a path',
    ),
    default: null,
    documentation:
      'https URL of the host at which sites find the public half of `BOT_KEY_FILE`, usually `PUBLIC_URL`. Required with `BOT_KEY_FILE`.',
  }),
  trustProxy: define<number | readonly string[] | null>({
    name: 'TRUST_PROXY',
    read: readTrustedProxies,
    default: null,
    documentation:
      'Proxies that are trusted to report the address of the client: the number of [proxies in front](docs/operating.md#behind-a-proxy), or a comma-separated list of their addresses and blocks.',
  }),
  mcp: define<'on' | 'off'>({
    name: 'MCP',
    read: readWord('on', 'off'),
    default: 'on',
    documentation: '`off` does not serve [`POST /mcp`](docs/mcp.md), the tools for assistants.',
  }),
  portal: define<'on' | 'off' | null>({
    name: 'PORTAL',
    read: readWord('on', 'off'),
    default: null,
    shownDefault: 'on',
    documentation:
      '`off` serves only the API. With `MONGODB_URL` and without `AUTH_SECRET`, the portal is off, and a start logs a warning.',
  }),
  signUp: define<'open' | 'invite' | 'off'>({
    name: 'SIGNUP',
    read: readWord('open', 'invite', 'off'),
    default: ({ host }, isSet) =>
      parse.isLoopback(host) && !isSet('PUBLIC_URL') && !isSet('TRUST_PROXY') ? 'open' : 'off',
    shownDefault: 'open or off',
    documentation:
      'Who may sign up in the portal: `open` everyone, `invite` those with an [invitation](docs/operating.md#accounts), `off` no one. By default `open` while only this machine can reach the service: `HOST` is a loopback address, and neither `PUBLIC_URL` nor `TRUST_PROXY` is set.',
  }),
  authSecret: define<string | null>({
    name: 'AUTH_SECRET',
    read: readOne(parse.parseSecret, WRITE_SECRET),
    default: null,
    isSecret: true,
    documentation:
      'Secret that signs the cookies of the portal: at least 32 characters, the same on every node. A new one ends all sessions and voids links in e-mails. Required for the portal with `MONGODB_URL`; otherwise the first start creates one in `DATA_DIR`.',
  }),
  adminEmails: define<readonly string[]>({
    name: 'ADMIN_EMAILS',
    read: readList(parseEmailAddress, 'an e-mail address such as ann@example.org'),
    default: [],
    documentation:
      'Comma-separated list of the e-mail addresses of administrators. The addresses have to be confirmed.',
  }),
  auditDays: define({
    name: 'AUDIT_DAYS',
    read: readNumber(1, 36_500),
    default: 400,
    documentation:
      'Days for which the [audit log](docs/operating.md#audit) is kept. A running server deletes older entries every hour.',
  }),
  smtpUrl: define<string | null>({
    name: 'SMTP_URL',
    read: readOne(parse.parseSmtpUrl, `write smtp://host:port or smtps://host:port; ${ENCODE_CREDENTIALS}`),
    default: null,
    isSecret: true,
    documentation:
      '`smtp://` or `smtps://` URL of the mail server. Without it addresses are not confirmed, and the operator resets passwords. May contain a password.',
  }),
  mailFrom: define<string | null>({
    name: 'MAIL_FROM',
    read: readOne(parseSender, 'write an e-mail address, such as Siteprint <siteprint@example.org>'),
    default: null,
    documentation:
      'Sender of e-mails: an address, or a name and an address in angle brackets. Required with `SMTP_URL`.',
  }),
  corsOrigins: define<readonly string[] | '*'>({
    name: 'CORS_ORIGINS',
    read: readOrigins,
    default: [],
    documentation: 'Comma-separated list of origins whose pages may call the API from a browser; `*` for all.',
  }),
  serviceUrl: define<string | null>({
    name: 'SITEPRINT_URL',
    read: readOne(parse.parsePublicUrl, 'write the http or https URL of the service'),
    default: null,
    documentation:
      'Only for the commands `batches` and `scan --queue`: the service that runs the batches. Without it, that of `PUBLIC_URL`, or `http://HOST:PORT`.',
  }),
  apiKey: define<string | null>({
    name: 'SITEPRINT_KEY',
    read: readOne(
      (text) => (/^spk_live_\w+$/.test(text) ? text : null),
      'write an API key, which begins with spk_live_',
    ),
    default: null,
    isSecret: true,
    documentation: 'Only for the same commands: an API key of the service.',
  }),
  logLevel: define<(typeof LOG_LEVELS)[number]>({
    name: 'LOG_LEVEL',
    read: readWord(...LOG_LEVELS),
    default: 'info',
    documentation: '`silent`, `fatal`, `error`, `warn`, `info`, `debug` or `trace`.',
  }),
  ruleFolders: define<readonly string[]>({
    name: 'RULES_DIRS',
    read: readRuleFolders,
    default: [],
    documentation: 'Comma-separated list of folders with additional rules.',
  }),
  rulesUrl: define<string | null>({
    name: 'RULES_URL',
    read: readOne(
      (text) => (URL.canParse(text) && isDownloadUrl(new URL(text)) ? text : null),
      'write an https URL without user and password; http is possible for this machine only',
    ),
    default: null,
    documentation:
      'https URL from which a running server fetches [newer released rules](docs/operating.md#newer-rules), about once an hour. Without it nothing is fetched.',
  }),
  rulesPublicKey: define<string | null>({
    name: 'RULES_PUBLIC_KEY',
    read: readOne(parsePublicKey, 'write an Ed25519 public key: the PEM text, or its base64 lines'),
    default: RELEASE_PUBLIC_KEY,
    shownDefault: 'that of the release',
    isSecret: true,
    documentation:
      'Public key with which released rules must be signed: Ed25519, as PEM or its base64 text. Not a secret. For [rules of your own](docs/operating.md#newer-rules), and for releases without a key.',
  }),
  detectorModules: define<readonly string[]>({
    name: 'DETECTORS',
    read: (reader, name) => reader.list(name),
    default: [],
    documentation: 'Comma-separated list of modules with additional detectors: paths or package names.',
  }),
}

type Settings = typeof SETTINGS

/** The values of all settings. */
export type Config = {
  readonly [Field in keyof Settings]: Settings[Field] extends Setting<infer Value> ? Value : never
}

/** The URL of the service: the public one or, without it, that for a browser on this machine. */
export function findServiceUrl({
  host,
  port,
  publicUrl,
}: {
  readonly host: string
  readonly port: number
  readonly publicUrl: string | null
}): string {
  if (publicUrl !== null) return publicUrl
  if (parse.isWildcard(host)) return `http://localhost:${port}`
  return `http://${isIP(host) === 6 ? `[${host.replace(/%.*/, '')}]` : host}:${port}`
}
