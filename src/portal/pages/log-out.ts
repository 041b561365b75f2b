import { definePage, Redirect } from '../page.ts'

/** Ends the session. A link could be followed by a browser on its own, so only a form does it. */
export const LOG_OUT = definePage({
  method: 'POST',
  path: '/logout',
  needs: 'nothing',
  handle: async ({ parts, visitor, addCookies }) => {
    addCookies(await parts.accounts.logOut(visitor))
    return new Redirect('/')
  },
})
