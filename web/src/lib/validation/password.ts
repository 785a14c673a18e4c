import { PASSWORD_MAX, PASSWORD_MIN } from '../constants'
import type { Finding } from './codes'

/** Letters of any script count; special is any character except letters, numbers and spaces. */
export const PASSWORD_RULES = {
  length: (password: string) => [...password].length >= PASSWORD_MIN,
  upper: (password: string) => /\p{Uppercase}/u.test(password),
  lower: (password: string) => /\p{Lowercase}/u.test(password),
  digit: (password: string) => /\p{N}/u.test(password),
  special: (password: string) => /[^\p{Alphabetic}\p{N}\s]/u.test(password),
} as const
export type PasswordRule = keyof typeof PASSWORD_RULES

/** The server checks the list of common passwords, which is too long to download. */
export function checkPassword(password: string): Finding {
  if (password === '') return 'required'
  if ([...password].length > PASSWORD_MAX) return 'too_long'
  return Object.values(PASSWORD_RULES).every((holds) => holds(password)) ? null : 'password_weak'
}

export function checkPasswordRepeat(password: string, repeat: string): Finding {
  if (repeat === '') return 'required'
  return password === repeat ? null : 'passwords_differ'
}
