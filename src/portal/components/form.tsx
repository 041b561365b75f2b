import type { ComponentChildren } from 'preact'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'

interface FormProps {
  /** Path of this service that the form is posted to. */
  readonly action: string
  /** Errors of the form, from `context.explain`. The summary above the fields gets the focus. */
  readonly errors?: FieldErrors
  /** Whether the form contains a file. */
  readonly isUpload?: boolean
  readonly children: ComponentChildren
}

/**
 * A form that is posted, with a summary of its errors. The service, not the browser, checks its fields, so all errors
 * look the same.
 */
export function Form({ action, errors = NO_ERRORS, isUpload = false, children }: FormProps) {
  return (
    <form method="post" action={action} enctype={isUpload ? 'multipart/form-data' : undefined} noValidate>
      <ErrorSummary errors={errors} />
      {children}
    </form>
  )
}

/** Values that a form sends in addition to its fields. */
export function HiddenFields({ values }: { readonly values: Readonly<Record<string, string | null>> }) {
  return (
    <>
      {Object.entries(values).map(
        ([name, value]) => value !== null && <input key={name} type="hidden" name={name} value={value} />,
      )}
    </>
  )
}

function ErrorSummary({ errors }: { readonly errors: FieldErrors }) {
  const entries = Object.entries(errors)
  if (entries.length === 0) return null
  return (
    <div class="notice error" role="alert" tabIndex={-1} autofocus>
      <p class="notice-title">There is a problem</p>
      <ul>
        {entries.map(([name, sentence]) => (
          <li key={name}>{name === '' ? sentence : <a href={`#${name}`}>{sentence}</a>}</li>
        ))}
      </ul>
    </div>
  )
}
