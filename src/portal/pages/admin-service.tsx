import type { AuditAction } from '../../store/audit-types.ts'
import type { Switches } from '../../store/types.ts'
import { Facts } from '../../views/facts.tsx'
import { AdminNav } from '../components/admin-nav.tsx'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Card } from '../components/content.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { definePage, type PageContext, PageError, Redirect } from '../page.ts'
import type { PortalParts } from '../parts.ts'
import { recordAction } from '../record-action.ts'
import { describeStatus, type StatusRow } from '../status.ts'

/** One direction of a switch. */
interface SwitchTurn {
  readonly change: Partial<Switches>
  readonly action: AuditAction
}

/** The first rows of the status, which are longer than the numbers after them. */
const VERSION_ROWS = 4

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
          <p>The switch was changed. It takes effect on every node within 5 seconds.</p>
        </Notice>
      )}
      <div class="columns">
        <Card title={`Maintenance is ${maintenance ? 'on' : 'off'}`}>
          <SwitchForm
            isHarmful={!maintenance}
            turn={maintenance ? 'maintenance_off' : 'maintenance_on'}
            label={maintenance ? 'Turn maintenance off' : 'Turn maintenance on'}
            code="maintenance"
          />
        </Card>
        <Card title={`The API is ${apiOff ? 'off' : 'on'}`}>
          <SwitchForm
            isHarmful={!apiOff}
            turn={apiOff ? 'api_on' : 'api_off'}
            label={apiOff ? 'Turn the API on' : 'Turn the API off'}
            code="unavailable"
          />
        </Card>
      </div>
      <Status parts={context.parts} />
    </Page>
  )
}

interface SwitchProps {
  /** Whether the API rejects requests after the change. If not, it rejects them now. */
  readonly isHarmful: boolean
  readonly turn: string
  readonly label: string
  /** The error code that the API responds with. */
  readonly code: string
}

function SwitchForm({ isHarmful, turn, label, code }: SwitchProps) {
  const action = '/admin/service/switches'
  if (isHarmful)
    return (
      <Confirm label={`${label}…`} action={action} values={{ turn }} button={label}>
        <p>Every request to the API will get 503 “{code}” until the switch is turned back. The portal still works.</p>
      </Confirm>
    )
  return (
    <Form action={action}>
      <HiddenFields values={{ turn }} />
      <p>Every request to the API gets 503 “{code}”. The portal works.</p>
      <Button>{label}</Button>
    </Form>
  )
}

function Status({ parts: { readGauges, rules, store, version } }: { readonly parts: PortalParts }) {
  const rows = describeStatus({
    gauges: readGauges(),
    version,
    ruleset: rules.current.version,
    node: process.version,
    store: store.authDatabase.kind,
    uptimeSeconds: process.uptime(),
  })
  return (
    <Card title="Status of this process">
      <Rows rows={rows.slice(0, VERSION_ROWS)} />
      <Rows rows={rows.slice(VERSION_ROWS)} />
    </Card>
  )
}

function Rows({ rows }: { readonly rows: readonly StatusRow[] }) {
  return (
    <Facts
      facts={rows.map(({ label, value, isProblem }) => [label, isProblem ? <span class="error">{value}</span> : value])}
    />
  )
}

export const ADMIN_SERVICE_PAGES = [ADMIN_SERVICE, TURN_SWITCH]
