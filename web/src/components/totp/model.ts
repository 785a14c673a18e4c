/** Texts of the second factor as people read, type and keep them. */

/** "ABCD EFGH …": groups of four are easier to type from a screen. */
export const grouped = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? ''

/** What is put into the file: one code on each line, below what they are for. */
export const recoveryFile = (title: string, codes: readonly string[]) =>
  `${[title, '', ...codes].join('\r\n')}\r\n`

export const checkFactor = ({ totp }: { totp: string }) => ({
  totp: totp.trim() === '' ? ('required' as const) : null,
})

export const checkProof = ({ password, totp }: { password: string; totp: string }) => ({
  password: password === '' ? ('required' as const) : null,
  ...checkFactor({ totp }),
})
