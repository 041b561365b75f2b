import { definePage, Redirect } from '../page.ts'

/** Ends the session. Only a form can do this, because browsers may follow links on their own. */
export const LOG_OUT = definePage({
  method: 'POST',
  path: '/logout',
  needs: 'nothing',
  handle: async ({ parts, visitor, addCookies }) => {
    addCookies(await parts.accounts.logOut(visitor))
    return new Redirect('/')
  },
})
