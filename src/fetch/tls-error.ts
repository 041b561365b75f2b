/** What can be wrong with the certificate of a site: stable code → the same in words that continue "the TLS certificate of the site". */
export const TLS_ERRORS = {
  expired: 'has expired',
  not_yet_valid: 'is not valid yet',
  wrong_name: 'is for another name',
  self_signed: 'is signed by itself',
  incomplete_chain: 'came without that of its issuer',
  unknown_issuer: 'is of an unknown issuer',
  invalid: 'could not be verified',
} as const satisfies Record<string, string>
export type TlsError = keyof typeof TLS_ERRORS

// Codes of OpenSSL (X509_verify_cert_error_string(3)) and Node. With a certificate alone whose issuer is not known, OpenSSL cannot tell
// whether the site has forgotten the intermediate certificate, which is by far the more frequent mistake.
const CODES: ReadonlyMap<string, TlsError> = new Map([
  ['CERT_HAS_EXPIRED', 'expired'],
  ['CERT_NOT_YET_VALID', 'not_yet_valid'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong_name'],
  ['HOSTNAME_MISMATCH', 'wrong_name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self_signed'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'incomplete_chain'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'unknown_issuer'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unknown_issuer'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'unknown_issuer'],
])

/** Finds what is wrong with a certificate from the code of its verification. */
export function parseTlsError(code: string): TlsError {
  return CODES.get(code) ?? 'invalid'
}

/** Describes an invalid certificate in words. Later versions may have other codes. */
export function describeTlsError(error: string): string {
  return `Invalid certificate: it ${Object.hasOwn(TLS_ERRORS, error) ? TLS_ERRORS[error as TlsError] : `has the error ${error}`}`
}

/** One sentence for the final host of a page, and one for the hosts that redirected to it. */
export function listTlsWarnings(page: TlsError | null, redirects: ReadonlySet<TlsError>): string[] {
  const sentences = [...redirects].map(
    (error) =>
      `the TLS certificate of a host that redirects to the page ${TLS_ERRORS[error]}; it was followed all the same`,
  )
  if (page !== null)
    sentences.push(
      `the TLS certificate of the site ${TLS_ERRORS[page]}; the site was read all the same, without it as evidence`,
    )
  return sentences
}
