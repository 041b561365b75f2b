import type { PageDefinition } from '../page.ts'
import { ACCOUNT_PAGES } from '../pages/account.tsx'
import { ADMIN_ACCOUNT } from '../pages/admin-account.tsx'
import { ADMIN_ACTIONS } from '../pages/admin-account-actions.ts'
import { ADMIN_ACCOUNTS } from '../pages/admin-accounts.tsx'
import { ADMIN_AUDIT } from '../pages/admin-audit.tsx'
import { ADMIN_SERVICE_PAGES } from '../pages/admin-service.tsx'
import { BATCH_PAGES } from '../pages/batch.tsx'
import { BATCHES_PAGES } from '../pages/batches.tsx'
import { CATALOGUE_PAGES } from '../pages/catalogue.tsx'
import { DELETION_PAGES } from '../pages/delete-account.tsx'
import { FORGOT_PAGES } from '../pages/forgot.tsx'
import { HOME } from '../pages/home.tsx'
import { KEY_PAGES } from '../pages/key.tsx'
import { KEYS_PAGES } from '../pages/keys.tsx'
import { LOG_IN_PAGES } from '../pages/log-in.tsx'
import { LOG_OUT } from '../pages/log-out.ts'
import { RESET_PAGES } from '../pages/reset.tsx'
import { SCAN_PAGES } from '../pages/scan.tsx'
import { SETTINGS } from '../pages/settings.tsx'
import { SETTINGS_ACTIONS } from '../pages/settings-actions.ts'
import { SIGN_UP_PAGES } from '../pages/sign-up.tsx'
import { VERIFY_PAGES } from '../pages/verify.tsx'

/** All pages of the portal. */
export const PAGES: readonly PageDefinition[] = [
  HOME,
  ...CATALOGUE_PAGES,
  ...SIGN_UP_PAGES,
  ...LOG_IN_PAGES,
  LOG_OUT,
  ...FORGOT_PAGES,
  ...RESET_PAGES,
  ...VERIFY_PAGES,
  ...ACCOUNT_PAGES,
  ...KEYS_PAGES,
  ...KEY_PAGES,
  ...SCAN_PAGES,
  ...BATCHES_PAGES,
  ...BATCH_PAGES,
  SETTINGS,
  ...SETTINGS_ACTIONS,
  ...DELETION_PAGES,
  ADMIN_ACCOUNTS,
  ADMIN_ACCOUNT,
  ...ADMIN_ACTIONS,
  ADMIN_AUDIT,
  ...ADMIN_SERVICE_PAGES,
]
