/** Actions that are recorded, each with the words in which the portal shows it. */
export const AUDIT_ACTIONS = {
  account_created: 'Account created',
  invite_created: 'Invitation created',
  reset_created: 'Link for a new password created',
  account_renamed: 'Name changed',
  email_changed: 'E-mail address changed',
  password_changed: 'Password changed',
  account_verified: 'E-mail address confirmed',
  account_suspended: 'Account suspended',
  account_resumed: 'Suspension lifted',
  account_deleted: 'Account deleted',
  plan_changed: 'Plan changed',
  key_created: 'Key created',
  key_renamed: 'Key renamed',
  key_rotated: 'Key rotated',
  key_revoked: 'Key revoked',
  key_attached: 'Key attached',
  key_email_changed: 'E-mail address of key changed',
  key_limits_changed: 'Limits of key changed',
  key_expiry_changed: 'Expiry of key changed',
  key_deleted: 'Key deleted',
  plans_reloaded: 'Plans reloaded',
  maintenance_on: 'Maintenance turned on',
  maintenance_off: 'Maintenance turned off',
  api_on: 'API turned on',
  api_off: 'API turned off',
} as const

export type AuditAction = keyof typeof AUDIT_ACTIONS

/** An action on an account, a key or the service. It contains only ids, so it may outlive the account. */
export interface AuditEvent {
  readonly at: Date
  readonly action: AuditAction
  /** Id of the account that acted; null for the operator's commands. */
  readonly actor: string | null
  /** Id of the account that the action concerns; null for the service as a whole and for a key without an account. */
  readonly account: string | null
  /** Id of the key that the action concerns. */
  readonly key: string | null
  /** Another value that is not personal, such as the name of the new plan. */
  readonly detail: string | null
  /** The source of an operator's action: a command such as `keys revoke`, `SIGHUP`, or `start`; null for the portal. */
  readonly command: string | null
  /** Host name of the machine that the command or the server ran on; null for entries of earlier versions. */
  readonly machine: string | null
}

/** One event as it is stored, or several of one day that were merged. */
export interface AuditEntry extends AuditEvent {
  /** The number of events; `at` is the time of the last one. */
  readonly count: number
  /** The time of the first event; null if there is only one. */
  readonly firstAt: Date | null
}
