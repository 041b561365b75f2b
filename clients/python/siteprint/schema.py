# Generated from clients/openapi.json by "tools/run docs --write". Do not edit.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias


class BatchCounts(TypedDict):
    """Number of URLs by state."""

    waiting: int
    """URLs that are still to be scanned."""
    succeeded: int
    """URLs with a result. Each of them is charged once."""
    failed: int
    """URLs with an error. They are not charged."""
    cancelled: int
    """URLs that were not scanned before the batch was cancelled."""


BatchStatus: TypeAlias = str
"""waiting: no scan has started. running. paused: the monthly quota is used up; it goes on when the quota is there again. completed: every URL has a result or an error. cancelled. Known values: waiting, running, paused, completed, cancelled."""


BuilderCategory: TypeAlias = str
"""Category of a builder. Known values: ai-builder, app-builder, blog, cms, community, course, documentation, ecommerce, landing-page, static-site, website-builder, wiki."""


class CatalogueEntry(TypedDict):
    kind: str
    """Kind of the entry. Known values: builder, hosting, site-type, technology."""
    slug: str
    """Identifier, unique within its kind: builderSlug of a builder, siteType of a site type."""
    name: str
    """Display name: builder, hosting or one of technologies of a scan."""
    category: str | None
    """Category of a builder or technology; cdn for a CDN, which scans list under technologies; null for other hosting and for site types."""
    isAiNative: bool
    """Whether it is a builder that generates sites with an AI model."""
    website: str | None
    """Website of the vendor."""
    about: str | None
    """What it is, in one sentence; null if the rules do not say it."""


class Clause(TypedDict):
    """A clause of a rule that matched."""

    clause: str
    """The clause as written in the rule."""
    places: list[str]
    """The places it looks at."""
    weight: NotRequired[str]
    """Weight of the clause. Known values: strong, medium, weak."""
    points: NotRequired[int]
    """Site types: tenths of log-odds that the clause gives the type."""
    family: str
    """Clauses of one family are not independent evidence of each other."""
    hits: int
    texts: list[str]
    """The texts that matched, each cut to 200 characters."""
    through: NotRequired[list[str]]
    """Tag containers that add such texts to the page: `Google Tag Manager GTM-0A1B2C`."""


Confidence: TypeAlias = Literal['high', 'medium', 'low']


class DayUsage(TypedDict):
    date: str
    """The day (UTC)."""
    requests: int
    """Scans charged on the day."""


ErrorCode: TypeAlias = str
"""A stable code. Known values: invalid_url, invalid_request, blocked_target, unauthorized, not_found, method_not_allowed, payload_too_large, idempotency_conflict, misdirected_request, rate_limited, quota_exceeded, scan_failed, scan_timeout, internal, maintenance, unavailable."""


class Evidence(TypedDict):
    """A rule that scored points, and why."""

    kind: str
    """Kind of the rule. Known values: builder, technology, hosting, site-type, response."""
    slug: str
    name: str
    level: Confidence | None
    points: int
    """0 to 6; for a site type, its score in tenths of log-odds."""
    clauses: list[Clause]
    """The clauses that matched."""
    unseen: list[str]
    """Places that the rule looks at and that the scan did not see."""
    chosen: bool
    """Whether the rule is part of the result."""
    note: NotRequired[str]
    """Why the rule is not part of the result, or what raised its level."""


Extra: TypeAlias = Literal['evidence', 'versions', 'infrastructure', 'timing', 'warnings', 'meta', 'page', 'details', 'packages']


class KeyInfo(TypedDict):
    name: str
    """Name of the key or account."""
    email: str
    """Contact address of the key holder."""
    plan: str
    """Plan of the key."""
    requests_used: int
    """Scans charged in this billing month (UTC). A key that replaced another one in its account continues its count."""
    requests_limit: int
    """Scans per month in this plan."""
    requests_remaining: int
    """Scans left this month; never below 0."""
    resets_on: str
    """The 1st of next month."""
    last_used_at: str
    """Time of the last charged scan or /me request, including this one."""
    created_at: str
    """When the key was created."""


class KeyUsage(TypedDict):
    month: str
    """The month (UTC), such as 2026-05."""
    requests_used: int
    """Scans charged in the month."""
    days: list[DayUsage]
    """Every day of the month up to today."""


class Meta(TypedDict):
    """With include=meta: about the scan and the page."""

    status: int
    """Status of the final response of the site."""
    scannedAt: str
    """When the scan ended (UTC, with milliseconds)."""
    ruleset: str
    """Version of the rules that the result is based on."""
    title: str | None
    """Title of the page on one line, cut to 500 characters; null if it has none."""


class Network(TypedDict):
    """A network with one operator."""

    asn: int
    """Number of the autonomous system."""
    name: str
    """Its operator, as it is registered."""


class Package(TypedDict):
    """A package of npm that the page loads by its name."""

    name: str
    """Name in the npm registry."""
    version: str | None
    """The version that the page states."""
    purl: str
    """Package URL, with the version if it is a whole one."""


class PageAnswer(TypedDict):
    """With include=page, and unasked if the state is not site: what came back."""

    state: str
    """What came back: the site, a check of visitors or a refusal (wall), a login before everything, no site or page at this address (missing), an error of a server, maintenance, a suspended account, the page of a server without a site (default-page), a domain for sale (parked), or a page that shows nothing (empty). Known values: site, wall, login, missing, error, maintenance, suspended, default-page, parked, empty."""
    by: str | None
    """Display name of the product or provider whose page came back instead of the site."""
    status: int | None


class Part(TypedDict):
    """A page of the site that was read."""

    url: str
    """The final URL of the page."""
    builder: str | None
    """Display name of the builder of the page."""
    builderSlug: str | None
    """Identifier of the builder."""
    confidence: Confidence | None
    """Confidence in the builder; null exactly when builder is null."""
    siteType: str | None
    """Purpose of the page; null if it gives no indication."""
    technologies: list[str]
    """Display names of the technologies of the page."""


class ScanRequest(TypedDict):
    """What to scan."""

    url: str
    """The URL to scan: absolute, http or https, at most 2048 characters, a public host, port 80, 443 or none, no credentials."""
    include: NotRequired[list[Extra]]
    """What to add after the standard fields."""
    fresh: NotRequired[bool]
    """Scan again even if the cache has a result, and replace the cached result."""
    pages: NotRequired[int]
    """How many pages of the site are read; 1 by default. Other ones are chosen from the links of the page. Each page that is read is charged as one scan, and listed in parts. The plan of the key may allow fewer."""
    render: NotRequired[Literal['never', 'auto', 'always']]
    """Whether a browser runs the scripts of the page, if the service has one; never by default. auto renders pages that show hardly any text without their scripts. If rendering fails, the page is read as it was fetched, and warnings say why."""


SiteType: TypeAlias = str
"""Purpose of a site. Known values: app, blog, course, directory, docs, ecommerce, education, event, forum, government, landing, link-in-bio, local-business, marketing, news, nonprofit, parked, portfolio, reference, saas, wiki."""


class Support(TypedDict):
    """Whether the project of a technology still supports the version."""

    cycle: str | None
    """The release cycle; null if the version does not tell one."""
    state: str
    """On the day of the scan: supported, security-only (only security fixes), ended, or unknown (the version may belong to cycles of different states, or to none that is known). Known values: supported, security-only, ended, unknown."""
    ends: str | None
    """The last day with security fixes; null if none is set or known."""
    latest: str | None
    """The latest version of the cycle that the data has."""
    certain: bool
    """False if the page names a distribution that may patch this version for longer."""


class TechnologyCategory(TypedDict):
    """Category of a technology."""

    slug: str
    name: str


class TechnologyDetail(TypedDict):
    """What is known about a technology of the result."""

    slug: str
    name: str
    """Display name, as in technologies."""
    category: TechnologyCategory
    level: Confidence
    version: str | None
    """The version that the page shows."""
    website: str | None
    """Website of the vendor."""
    impliedBy: str | None
    """Slug of the entry that implies this one, if that gave it its level; null if the page shows it."""
    cpe: str | None
    """Complete CPE 2.3 name, with the version if it is known exactly."""
    support: Support | None


class Timing(TypedDict):
    """With include=timing: milliseconds of each stage of the scan."""

    fetch: float
    """From the start until the page was received."""
    evidence: float
    """From then until the side evidence was complete."""
    bodies: float
    """From the same moment until the scripts and style sheets were complete."""
    match: float
    """Parsing and matching, including the wait for a worker."""
    total: float


class WebhookAttempt(TypedDict):
    at: str
    """When it was made."""
    status: int | None
    """Status of the response; null if there was none."""
    error: str | None
    """Why there was no response."""


class BatchRequest(TypedDict):
    """What to scan."""

    urls: list[str]
    """The URLs, at most as many as the plan of the key allows. Domains without a scheme are possible."""
    include: NotRequired[list[Extra]]
    """What to add after the standard fields."""
    fresh: NotRequired[bool]
    """Scan again even if the cache has a result, and replace the cached result."""
    webhook: NotRequired[str]
    """https URL to which a message signed by the Standard Webhooks specification is sent when the batch ends."""


class BatchWebhook(TypedDict):
    url: str
    """Where the message is sent."""
    state: str
    """What became of it. Known values: waiting, delivered, failed."""
    attempts: list[WebhookAttempt]
    """The attempts so far."""
    nextAt: str | None
    """When the next attempt is made; null if there is none, or if the batch has not ended."""
    secret: NotRequired[str]
    """Secret for checking the signature, which is the same for all batches of the key. Only when a batch is submitted."""


class Catalogue(TypedDict):
    ruleset: str
    """Version of the rules of the service."""
    entries: list[CatalogueEntry]
    """Ordered by kind, then by slug."""


class Error(TypedDict):
    """The body of every error response."""

    error: str
    """A message for people. It may change; the code does not."""
    code: ErrorCode
    retryable: bool
    """Whether the same request may succeed later: after Retry-After, where the response has it."""
    requestId: str
    """The value of the header X-Request-Id."""


class Infrastructure(TypedDict):
    """With include=infrastructure: where the site runs, as seen from its connection."""

    cdn: str | None
    """Display name of the CDN."""
    dns: list[str]
    """Registrable domains of the name servers."""
    ip: str | None
    """The address that served the page."""
    tlsIssuer: str | None
    """Organisation that issued the certificate; null if the certificate is invalid."""
    tlsError: str | None
    """Why the certificate of the site is invalid. The site was read all the same; null otherwise."""
    server: str | None
    """The header Server."""
    network: Network | None
    reverseDns: str | None
    """The name of the address, if the name has this address."""


class ScanResult(TypedDict):
    url: str
    """The final URL after redirects, without fragment."""
    builder: str | None
    """Display name of the builder of the site."""
    builderSlug: str | None
    """Identifier of the builder."""
    confidence: Confidence | None
    """Confidence in the builder; null exactly when builder is null."""
    category: BuilderCategory | None
    """Category of the builder."""
    isAiNative: bool
    """Whether the builder generates sites with an AI model; false without a builder."""
    technologies: list[str]
    """Display names, ordered by confidence, then by name; includes the builder and CDNs."""
    hosting: str | None
    """Hosting provider of the site's origin; null if a CDN hides it."""
    siteType: SiteType | None
    """Purpose of the site; null if the page gives no indication."""
    cached: bool
    """Whether the result was already in the cache when the request arrived."""
    parts: NotRequired[list[Part]]
    """With pages of 2 or more: the pages that were read, the first one first. Each is charged as one scan. The other fields of the result unite their technologies."""
    evidence: NotRequired[list[Evidence]]
    """With include=evidence: every rule that scored points, and why."""
    versions: NotRequired[dict[str, str]]
    """With include=versions: name → version."""
    infrastructure: NotRequired[Infrastructure]
    timing: NotRequired[Timing]
    warnings: NotRequired[list[str]]
    """With include=warnings: what was cut off, and which places were not looked at."""
    meta: NotRequired[Meta]
    page: NotRequired[PageAnswer]
    details: NotRequired[list[TechnologyDetail]]
    """With include=details: the technologies, in the same order, with what is known about each."""
    packages: NotRequired[list[Package]]
    """With include=packages: the npm packages that the page loads by name, ordered by name and version."""


class Batch(TypedDict):
    id: str
    """Identifier of the batch."""
    status: BatchStatus
    reason: str | None
    """Why the batch is paused or was cancelled."""
    total: int
    """Number of URLs."""
    counts: BatchCounts
    failures: dict[str, int]
    """Number of failed URLs by error code."""
    include: list[str]
    """Extras of each result."""
    fresh: bool
    """Whether cached results are ignored."""
    createdAt: str
    """When it was submitted."""
    startedAt: str | None
    """When its first scan started."""
    finishedAt: str | None
    """When it was completed or cancelled."""
    expiresAt: str | None
    """When its results are deleted; null until it ends."""
    perMinute: float | None
    """URLs per minute since its start; null before."""
    secondsLeft: int | None
    """Estimate of the seconds until it is completed; null if unknown."""
    webhook: BatchWebhook | None
    """The message at the end of the batch; null without one."""


class BatchLine(TypedDict):
    """One line of the results: a result, or an error with its code."""

    position: int
    """Position of the URL in the list, from 0 on."""
    url: str
    """The URL as it was submitted."""
    result: NotRequired[ScanResult]
    error: NotRequired[str]
    """Why there is no result, for people."""
    code: NotRequired[str]
    """Why there is no result: an error code."""


class BatchList(TypedDict):
    batches: list[Batch]
    """Newest first."""
    next: str | None
    """Value of before for the next page; null on the last one."""
