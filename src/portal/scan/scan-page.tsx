import { makeVisible } from '../../engine/text/visible-text.ts'
import { findPageLimit } from '../../keys/plans.ts'
import type { Key } from '../../keys/types.ts'
import { hasBrowser } from '../../service/settings.ts'
import type { ScanHead } from '../../store/account-types.ts'
import { Button } from '../components/button.tsx'
import { Card, DateTime } from '../components/content.tsx'
import { Checkbox, Field, Select } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { KeyChoice, NoKey, nameKey } from '../components/key-choice.tsx'
import { Page } from '../components/page.tsx'
import type { FieldErrors } from '../form-errors.ts'
import type { PageContext } from '../page.ts'
import type { ScanFormValues } from './form-values.ts'

type Scans = readonly ScanHead[]

interface ScanPageProps {
  readonly context: PageContext<'session'>
  /** The keys that can be charged; null if the store cannot list them. */
  readonly keys: readonly Key[] | null
  /** Newest first; null if the store cannot list them. */
  readonly scans: Scans | null
  readonly values: ScanFormValues
  readonly errors?: FieldErrors
}

/** The form for a scan, and the recent scans. */
export function ScanPage({ context, keys, scans, values, errors }: ScanPageProps) {
  return (
    <Page context={context} title="Scan a website">
      {keys?.length === 0 ? <NoKey /> : <ScanForm context={context} keys={keys} values={values} errors={errors} />}
      <RecentScans scans={scans} />
    </Page>
  )
}

/** How many pages a scan reads, from 1 on. */
const PAGE_OPTIONS = [
  'Only this page',
  ...[2, 3, 4, 5].map((pages) => `Up to ${pages}, each of which counts as a scan`),
]

function ScanForm({ context, keys, values, errors }: Pick<ScanPageProps, 'context' | 'keys' | 'values' | 'errors'>) {
  const { plans } = context.parts.settings
  const canRender = hasBrowser(context.parts.settings)
  const mostPages = Math.max(1, ...(keys ?? []).map((key) => findPageLimit(plans, key)))
  return (
    <div class="scan-form">
      <Form action="/scan" errors={errors}>
        <Field
          name="url"
          label="Address of the page"
          type="url"
          value={values.url}
          errors={errors}
          placeholder="example.org"
          isRequired
        />
        <KeyChoice keys={keys} value={values.key} errors={errors} />
        {mostPages > 1 && (
          <Select
            name="pages"
            label="Pages of the site"
            options={Array.from({ length: mostPages }, (_, i) => [`${i + 1}`, PAGE_OPTIONS[i]])}
            value={`${values.pages}`}
            errors={errors}
          />
        )}
        <Checkbox
          name="fresh"
          label="Scan again, even if there is a result of the last hour"
          isChecked={values.fresh}
        />
        {canRender && (
          <Checkbox
            name="render"
            label="Run the scripts of the page in a browser first, and read what they show"
            isChecked={values.render}
          />
        )}
        <div class="submit">
          <Button>Scan</Button>
          <p class="hint">
            The browser waits for the result: usually a few seconds, at most{' '}
            {canRender ? '18, or 31 with scripts' : '18'}.
            {keys?.length === 1 && ` A scan counts like one API request with the key ${nameKey(keys[0])}.`}
          </p>
        </div>
      </Form>
    </div>
  )
}

function RecentScans({ scans }: { readonly scans: Scans | null }) {
  if (scans === null) return <p class="quiet">Your recent scans cannot be shown at the moment.</p>
  if (scans.length === 0) return null
  return (
    <Card title="Recent scans">
      <ul class="recent">
        {scans.map(({ id, url, builder, at }) => (
          <li key={id}>
            <a class="site-text" href={`/scan/${encodeURIComponent(id)}`}>
              <bdi>{makeVisible(url, 80)}</bdi>
            </a>
            <span>{builder ?? 'No builder'}</span>
            <span class="quiet">
              <DateTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
