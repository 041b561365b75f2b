import { formatMonth } from '../../keys/calendar.ts'
import { Facts } from '../../views/facts.tsx'
import { formatCount, formatMonthName, formatNumber } from '../../views/format-text.ts'
import { Table } from '../../views/table.tsx'
import { findAccountPlan } from '../account-keys.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { Card, DateTime } from '../components/content.tsx'
import { Select } from '../components/field.tsx'
import { KeyName, MaskedSecret } from '../components/key-facts.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { DayTable, drawUsageCharts, UsageFigure } from '../components/usage-figure.tsx'
import { parseMonth, parseMonthSpan, parseYear } from '../months.ts'
import { Download, definePage, PageError, type PageResult, type SessionContext } from '../page.ts'
import { buildUsage, findFirstMonth, type SlotUsage, type UsageReport } from '../usage.ts'
import { formatUsageCsv } from '../usage-csv.ts'

interface UsageProps {
  readonly context: SessionContext
  readonly report: UsageReport
}

function AccountPage({ context, report, charts }: UsageProps & { readonly charts: readonly string[] }) {
  const active = report.quota.keys
  return (
    <Page context={context} title="Usage">
      {active === 0 && (
        <Notice kind="warning" title="You have no active key">
          <p>
            Without a key, programs cannot use the API on your behalf. <a href="/account/keys">Create a key</a>.
          </p>
        </Notice>
      )}
      <QuotaCard context={context} report={report} />
      <MonthCard report={report} charts={charts} />
      <YearCard report={report} />
    </Page>
  )
}

function QuotaCard({ context, report: { quota } }: UsageProps) {
  const active = quota.keys
  const plan = findAccountPlan(context)
  const limits = `${formatCount(plan.perMonth, 'request')} a month and ${formatNumber(plan.perMinute)} a minute`
  return (
    <Card title="This month">
      <Facts
        facts={[
          ['Plan', plan.name],
          ['Used', formatCount(quota.used, 'request')],
          [
            'Left',
            active === 1
              ? formatNumber(quota.left)
              : active > 1
                ? `${formatNumber(quota.left)} with ${active} keys`
                : 'Create a key',
          ],
          ['Resets on', <DateTime key="reset" at={quota.resetAt} unit="day" />],
        ]}
      />
      <p class="quiet">
        {active > 1
          ? `Each key has its own limits: ${limits}. A key cannot use what another key has left.`
          : `The limits belong to the key: ${limits}.`}{' '}
        They belong to the slot that a key is in: a key that replaces another one continues its counts. Days and months
        are in UTC.
      </p>
    </Card>
  )
}

function MonthCard({ report, charts }: { readonly report: UsageReport; readonly charts: readonly string[] }) {
  const { month, months, used } = report
  const options = [...new Set([...months.map(({ span }) => span), month])]
  return (
    <Card title={`${formatMonthName(month)}: ${formatCount(used, 'request')}`}>
      <form method="get" action="/account" class="inline month">
        <Select name="month" label="Month" options={options.map((one) => [one, formatMonthName(one)])} value={month} />
        <Button kind="secondary">Show</Button>
        <LinkButton kind="secondary" href={`/account/usage.csv?month=${month}`}>
          Download CSV
        </LinkButton>
      </form>
      <UsageFigure charts={charts} report={report} />
      <div class="columns">
        <SlotTable report={report} />
        <details>
          <summary>Requests per day as a table</summary>
          <div class="slim">
            <DayTable report={report} />
          </div>
        </details>
      </div>
    </Card>
  )
}

/** Maximum number of keys that are named for one slot. */
const MAX_KEYS_SHOWN = 3

function SlotTable({ report: { slots, month, isCurrent } }: Pick<UsageProps, 'report'>) {
  if (slots.length === 0) return null
  return (
    <div class="slim">
      <Table
        caption={`Requests per slot, ${formatMonthName(month)}`}
        head={['Slot', 'Key', 'Used', ...(isCurrent ? ['Left'] : [])]}
        numeric={[2, 3]}
        rows={slots.map(({ slot, keys, used, left }) => [
          `${slot}`,
          <SlotKeys keys={keys} />,
          formatNumber(used),
          ...(isCurrent ? [left === null ? 'No key' : formatNumber(left)] : []),
        ])}
      />
    </div>
  )
}

/** The keys that were in a slot, newest first. */
function SlotKeys({ keys }: Pick<SlotUsage, 'keys'>) {
  if (keys.length === 0) return <>Deleted key</>
  const more = keys.length - MAX_KEYS_SHOWN
  return (
    <>
      {keys.slice(0, MAX_KEYS_SHOWN).map((key, i) => (
        <div key={key.id}>
          {i > 0 && 'before: '}
          <KeyName name={key.name} /> <MaskedSecret secrets={key.secrets} />
          {key.revokedAt !== null && ' (revoked)'}
        </div>
      ))}
      {more > 0 && <div>and {formatCount(more, 'other key')} before</div>}
    </>
  )
}

function YearCard({ report: { months } }: Pick<UsageProps, 'report'>) {
  const total = months.reduce((sum, { used }) => sum + used, 0)
  const years = [...new Set(months.map(({ span }) => span.slice(0, 4)))]
  return (
    <Card title="The last twelve months">
      <div class="slim">
        <Table
          caption="Requests per month"
          hasHiddenCaption
          head={['Month', 'Requests']}
          numeric={[1]}
          rows={[
            ...months.map(({ span, used }) => [
              <a key="month" href={`/account?month=${span}`}>
                {formatMonthName(span)}
              </a>,
              formatNumber(used),
            ]),
            ['Total', formatNumber(total)],
          ]}
        />
      </div>
      <p class="buttons">
        {years.map((year) => (
          <LinkButton key={year} kind="secondary" href={`/account/usage.csv?year=${year}`}>
            Download CSV of {year}
          </LinkButton>
        ))}
      </p>
    </Card>
  )
}

async function showAccount(context: SessionContext): Promise<PageResult> {
  const { now, parts, query } = context
  const month = query.has('month') ? parseMonth(query.text('month'), now) : formatMonth(now)
  if (month === null) throw new PageError(404, NO_USAGE)
  const span = { since: findFirstMonth({ month, now }), first: month, last: month }
  const rows = await parts.store.accounts.readUsage(context.account.id, span)
  const report = buildUsage(rows, { month, now, plans: parts.settings.plans })
  return <AccountPage context={context} report={report} charts={await drawUsageCharts(report)} />
}

const NO_USAGE = 'There is no usage for that month. Choose one that has begun, such as 2026-01.'

async function downloadUsage(context: SessionContext): Promise<PageResult> {
  const { account, now, parts, query } = context
  const name = query.text(query.has('year') ? 'year' : 'month')
  const span = query.has('year') ? parseYear(name, now) : parseMonthSpan(name, now)
  if (span === null) throw new PageError(404, NO_USAGE)
  const rows = await parts.store.accounts.readUsage(account.id, { since: span.first, ...span })
  const months = rows.months.filter((row) => row.month <= span.last)
  return new Download({
    name: `siteprint-usage-${name}.csv`,
    type: 'text/csv; charset=utf-8',
    body: formatUsageCsv({ ...rows, months }),
  })
}

/** The overview of an account: its plan and its usage. */
export const ACCOUNT_PAGES = [
  definePage({ method: 'GET', path: '/account', needs: 'session', handle: showAccount }),
  definePage({ method: 'GET', path: '/account/usage.csv', needs: 'session', handle: downloadUsage }),
]
