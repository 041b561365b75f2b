import type { ComponentChildren } from 'preact'

interface NoticeProps {
  /** `status` reports what was done, `warning` what needs attention, `error` what failed, `info` anything else. */
  readonly kind: 'status' | 'warning' | 'error' | 'info'
  readonly title?: string
  readonly children: ComponentChildren
}

/** A short message that stands out. Screen readers announce all kinds except `info`. */
export function Notice({ kind, title, children }: NoticeProps) {
  const role = kind === 'error' ? 'alert' : kind === 'info' ? undefined : 'status'
  return (
    <div class={`notice ${kind}`} role={role}>
      {title !== undefined && <p class="notice-title">{title}</p>}
      {children}
    </div>
  )
}
