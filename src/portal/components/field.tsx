import type { InputHTMLAttributes, JSX } from 'preact'
import type { FieldErrors } from '../form-errors.ts'

interface FieldProps {
  /** The name of the field, and its id, to which the summary of errors links. */
  readonly name: string
  readonly label: string
  /** Errors of all fields of the form; only the error of this field is shown. */
  readonly errors?: FieldErrors
  /** One sentence above the input. */
  readonly hint?: string
  readonly isRequired?: boolean
}

interface InputProps extends FieldProps {
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search'
  /** The value that was entered before. Never give it for a password. */
  readonly value?: string
  readonly autocomplete?: InputHTMLAttributes<HTMLInputElement>['autocomplete']
  readonly maxLength?: number
  readonly placeholder?: string
  /** Path that the script asks for suggestions while the person types: JSON with texts. */
  readonly suggestions?: string
}

/** A line of text with its label, hint and error. */
export function Field({
  type = 'text',
  value,
  autocomplete,
  maxLength,
  placeholder,
  suggestions,
  ...field
}: InputProps) {
  const listId = suggestions === undefined ? undefined : `${field.name}-suggestions`
  return (
    <Labelled {...field}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            list={listId}
            data-suggestions={suggestions}
            // Preact's types allow one literal type at a time.
            type={type as 'text'}
            value={type === 'password' ? undefined : value}
            autocomplete={autocomplete}
            maxLength={maxLength}
            placeholder={placeholder}
            spellcheck={type === 'text' ? undefined : false}
          />
          {listId !== undefined && <datalist id={listId} />}
        </>
      )}
    </Labelled>
  )
}

interface TextAreaProps extends FieldProps {
  readonly value?: string
  readonly rows: number
  readonly placeholder?: string
}

/** Lines of text with their label, hint and error. */
export function TextArea({ value, rows, placeholder, ...field }: TextAreaProps) {
  return (
    <Labelled {...field}>
      {(attributes) => (
        <textarea {...attributes} rows={rows} placeholder={placeholder} spellcheck={false} value={value} />
      )}
    </Labelled>
  )
}

/** A file of the person, with its label, hint and error. @param accept types and endings that the browser offers first */
export function FileField({ accept, ...field }: FieldProps & { readonly accept: string }) {
  return <Labelled {...field}>{(attributes) => <input {...attributes} type="file" accept={accept} />}</Labelled>
}

interface SelectProps extends FieldProps {
  /** Values and labels. */
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly value?: string
}

/** A choice of one option, with its label, hint and error. */
export function Select({ options, value: selected, ...field }: SelectProps) {
  return (
    <Labelled {...field}>
      {(attributes) => (
        <select {...attributes}>
          {options.map(([value, label]) => (
            <option key={value} value={value} selected={value === selected}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

/** A check box with its label. It is sent only if it is checked. */
export function Checkbox({
  name,
  label,
  isChecked,
}: Pick<FieldProps, 'name' | 'label'> & { readonly isChecked?: boolean }) {
  return (
    <p class="field checkbox">
      <input type="checkbox" id={name} name={name} checked={isChecked} />
      <label for={name}>{label}</label>
    </p>
  )
}

interface ControlAttributes {
  readonly id: string
  readonly name: string
  readonly required: boolean | undefined
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}

interface LabelledProps extends FieldProps {
  readonly children: (attributes: ControlAttributes) => JSX.Element
}

/** Label, hint and error of an input. The input's attributes refer to them. */
function Labelled({ name, label, errors = {}, hint, isRequired = false, children }: LabelledProps) {
  const error = errors[name]
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean)
  return (
    <div class={error === undefined ? 'field' : 'field invalid'}>
      <label for={name}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${name}-error`}>
          <span class="hidden">Error: </span>
          {error}
        </p>
      )}
      {children({
        id: name,
        name,
        required: isRequired || undefined,
        'aria-describedby': described.join(' ') || undefined,
        'aria-invalid': error === undefined ? undefined : 'true',
      })}
    </div>
  )
}
