/** Texts and validation of the second factor. */

/** Groups of four ("ABCD EFGH …"), which are easier to copy. */
export const grouped = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? ''

/** The file's content: a title, then one code per line. */
export const recoveryFile = (title: string, codes: readonly string[]) =>
  `${[title, '', ...codes].join('\r\n')}\r\n`

export const checkFactor = ({ totp }: { totp: string }) => ({
  totp: totp.trim() === '' ? ('required' as const) : null,
})

export const checkProof = ({ password, totp }: { password: string; totp: string }) => ({
  password: password === '' ? ('required' as const) : null,
  ...checkFactor({ totp }),
})
