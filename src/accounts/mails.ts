import type { Mail } from './mailer.ts'

// E-mails do not contain names chosen by people, because anyone may sign up with the address of another person.

/** @param link confirms the address, together with the password; valid for `hours` */
export function buildSignUpMail(service: string, link: string, hours: number): Mail {
  return {
    subject: 'Confirm your e-mail address',
    text: `This address was used to sign up for Siteprint at ${service}.

To create the account, open this link within ${hours} hours and enter the password that you chose when you signed up:

${link}

If this was not you, ignore this e-mail. Without the link and the password, no account is created.
`,
  }
}

/** @param reset page on which a new password can be requested */
export function buildExistingAccountMail(service: string, reset: string): Mail {
  return {
    subject: 'You already have an account',
    text: `This address was used to sign up for Siteprint, or to change the address of an account, at ${service}.
It already has an account, so nothing was changed.

If you forgot your password, set a new one here:

${reset}

If this was not you, ignore this e-mail.
`,
  }
}

/** @param link opens the page that sets a new password; valid for `hours` */
export function buildResetMail(service: string, link: string, hours: number): Mail {
  return {
    subject: 'Set a new password',
    text: `A new password was requested for your Siteprint account at ${service}.

To set it, open this link within ${formatHours(hours)}. It works once, and only until your password or e-mail address changes:

${link}

If this was not you, ignore this e-mail. Your password stays as it is.
`,
  }
}

/** @param link opens the log-in page for a browser that the account does not know; valid for `hours` */
export function buildLogInMail(service: string, link: string, hours: number): Mail {
  return {
    subject: 'Log in with another browser',
    text: `Many wrong passwords were entered for your Siteprint account at ${service}. Browsers in which you
have not logged in before therefore need this link, and your password.

To log in, open it in that browser within ${formatHours(hours)}. It works once:

${link}

If this was not you, ignore this e-mail. A log-in needs both the link and your password.
`,
  }
}

/** @param link confirms the new address; valid for `hours` */
export function buildNewAddressMail(service: string, link: string, hours: number): Mail {
  return {
    subject: 'Confirm your new e-mail address',
    text: `This address was entered as the new address of a Siteprint account at ${service}.

To confirm it, open this link within ${hours} hours. If you are not logged in, enter the password of the account:

${link}

If this was not you, ignore this e-mail. The account keeps its former address.
`,
  }
}

/** Sent to the former address of an account. */
export function buildFormerAddressMail(service: string): Mail {
  return {
    subject: 'Your e-mail address was changed',
    text: `The e-mail address of your Siteprint account at ${service} was changed. This address is no longer used for it.

If this was not you, contact the operator of the service.
`,
  }
}

/** Sent to the current address of an account, when a change of the address is requested. */
export function buildAddressNoticeMail(service: string): Mail {
  return {
    subject: 'A new e-mail address was requested',
    text: `Another e-mail address was requested for your Siteprint account at ${service}. It takes effect when it is confirmed.

If this was not you, change your password now, which voids the request:

${service}/account/settings
`,
  }
}

function formatHours(hours: number): string {
  return hours === 1 ? 'an hour' : `${hours} hours`
}
