import { GROUP_NAME_MAX } from '../constants'
import type { Finding } from './codes'

/** Whether the account has a group of that name already is for the server to say. */
export function checkGroupName(name: string): Finding {
  const trimmed = name.trim()
  if (trimmed === '') return 'required'
  return [...trimmed].length > GROUP_NAME_MAX ? 'too_long' : null
}
