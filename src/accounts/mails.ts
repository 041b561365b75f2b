import type { Mail } from './mailer.ts'

// Names that people chose are not part of an e-mail: anyone may sign up with the address of another person.

/** @param link confirms the address; valid for `hours` */
export function buildSignUpMail(service: string, link: string, hours: number): Mail {
  return {
    subject: 'Confirm your e-mail address',
    text: `Someone, probably you, signed up for Siteprint at ${service} with this e-mail address.

To create the account, open this link within ${hours} hours:

${link}

If you did not sign up, ignore this e-mail. Without the link, no account is created.
`,
  }
}

/** @param reset page on which a new password can be requested */
export function buildExistingAccountMail(service: string, reset: string): Mail {
  return {
    subject: 'You already have an account',
    text: `Someone, probably you, tried to use this e-mail address for an account of Siteprint at ${service}.
The address already has an account, so nothing was changed.

If you forgot your password, set a new one here:

${reset}

If it was not you, ignore this e-mail.
`,
  }
}

/** @param link opens the page that sets a new password; valid for `hours` */
export function buildResetMail(service: string, link: string, hours: number): Mail {
  return {
    subject: 'Set a new password',
    text: `Someone, probably you, requested a new password for your account of Siteprint at ${service}.

To set it, open this link within ${hours === 1 ? 'an hour' : `${hours} hours`}. It works once:

${link}

If it was not you, ignore this e-mail. Your password stays as it is.
`,
  }
}

/** @param link confirms the new address; valid for `hours` */
export function buildNewAddressMail(service: string, link: string, hours: number): Mail {
  return {
    subject: 'Confirm your new e-mail address',
    text: `You asked to use this e-mail address for your account of Siteprint at ${service}.

To confirm it, open this link within ${hours} hours:

${link}

If it was not you, ignore this e-mail. The account keeps its former address.
`,
  }
}

/** For the former address of an account. */
export function buildFormerAddressMail(service: string): Mail {
  return {
    subject: 'Your e-mail address was changed',
    text: `The e-mail address of your account of Siteprint at ${service} was changed. This address is not used for it any more.

If it was not you, contact the operator of the service.
`,
  }
}
