import type { PageDefinition } from './page.ts'
import { FORGOT_PAGES } from './pages/forgot.tsx'
import { HOME } from './pages/home.tsx'
import { LOG_IN_PAGES } from './pages/log-in.tsx'
import { LOG_OUT } from './pages/log-out.ts'
import { RESET_PAGES } from './pages/reset.tsx'
import { SIGN_UP_PAGES } from './pages/sign-up.tsx'
import { VERIFY_PAGES } from './pages/verify.tsx'

/** All pages of the portal. */
export const PAGES: readonly PageDefinition[] = [
  HOME,
  ...SIGN_UP_PAGES,
  ...LOG_IN_PAGES,
  LOG_OUT,
  ...FORGOT_PAGES,
  ...RESET_PAGES,
  ...VERIFY_PAGES,
]
