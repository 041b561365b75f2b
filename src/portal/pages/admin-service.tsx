import type { AuditAction } from '../../accounts/audit.ts'
import type { Switches } from '../../store/types.ts'
import { AdminNav } from '../components/admin-nav.tsx'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Card, Facts } from '../components/content.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { definePage, type PageContext, PageError, Redirect } from '../page.ts'
import type { PortalParts } from '../parts.ts'
import { recordAction } from '../record-action.ts'
import { describeStatus } from '../status.ts'

/** One direction of a switch. */
interface SwitchTurn {
  readonly change: Partial<Switches>
  readonly action: AuditAction
}

/** Value of the button → what it does. */
const TURNS: Readonly<Record<string, SwitchTurn>> = {
  maintenance_on: { change: { maintenance: true }, action: 'maintenance_on' },
  maintenance_off: { change: { maintenance: false }, action: 'maintenance_off' },
  api_on: { change: { apiOff: false }, action: 'api_on' },
  api_off: { change: { apiOff: true }, action: 'api_off' },
}

const ADMIN_SERVICE = definePage({
  method: 'GET',
  path: '/admin/service',
  needs: 'admin',
  handle: async (context) => {
    const switches = await context.parts.store.settings.switches()
    return <ServicePage context={context} switches={switches} />
  },
})

const TURN_SWITCH = definePage({
  method: 'POST',
  path: '/admin/service/switches',
  needs: 'admin',
  handle: async (context) => {
    const { form, parts } = context
    const name = form.text('turn')
    if (!Object.hasOwn(TURNS, name)) throw new PageError(400)
    const { change, action } = TURNS[name]
    await parts.store.settings.setSwitches(change)
    await recordAction(context, { action, account: null })
    return new Redirect('/admin/service?done=switch')
  },
})

interface ServiceProps {
  readonly context: PageContext<'admin'>
  readonly switches: Switches
}

function ServicePage({ context, switches: { maintenance, apiOff } }: ServiceProps) {
  return (
    <Page context={context} title="Service">
      <AdminNav path={context.path} />
      {context.query.has('done') && (
        <Notice kind="status">
          <p>The switch was turned. It takes effect on every node within 5 seconds.</p>
        </Notice>
      )}
      <Card title="Switches">
        <Facts
          facts={[
            ['Maintenance', maintenance ? 'on: the API answers 503 “maintenance”' : 'off'],
            ['API', apiOff ? 'off: the API answers 503 “unavailable”' : 'on'],
          ]}
        />
        <p>The portal works whatever the switches say.</p>
        {maintenance ? (
          <TurnOn turn="maintenance_off" label="Turn maintenance off" />
        ) : (
          <TurnOff turn="maintenance_on" label="Turn maintenance on" effect="maintenance" />
        )}
        {apiOff ? (
          <TurnOn turn="api_on" label="Turn the API on" />
        ) : (
          <TurnOff turn="api_off" label="Turn the API off" effect="unavailable" />
        )}
      </Card>
      <Status parts={context.parts} />
    </Page>
  )
}

interface TurnProps {
  readonly turn: keyof typeof TURNS
  readonly label: string
}

function TurnOn({ turn, label }: TurnProps) {
  return (
    <Form action="/admin/service/switches">
      <HiddenFields values={{ turn }} />
      <Button>{label}</Button>
    </Form>
  )
}

function TurnOff({ turn, label, effect }: TurnProps & { readonly effect: string }) {
  return (
    <Confirm label={`${label}…`} action="/admin/service/switches" values={{ turn }} button={label}>
      <p>Every request of the API gets 503 “{effect}” until the switch is turned back.</p>
    </Confirm>
  )
}

function Status({ parts: { readGauges, rules, store, version } }: { readonly parts: PortalParts }) {
  const rows = describeStatus({
    gauges: readGauges(),
    version,
    ruleset: rules.version,
    node: process.version,
    store: store.authDatabase.kind,
    uptimeSeconds: process.uptime(),
  })
  return (
    <Card title="Status of this process">
      <Facts facts={rows.map(({ label, value, isProblem }) => [label, isProblem ? <strong>{value}</strong> : value])} />
    </Card>
  )
}

export const ADMIN_SERVICE_PAGES = [ADMIN_SERVICE, TURN_SWITCH]
