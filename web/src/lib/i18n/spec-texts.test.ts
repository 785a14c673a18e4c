import { describe, expect, it } from 'vitest'
import en from '@/locales/en.json'

/** Sentences quoted from the specification. */
const QUOTED = {
  'top.no_update': 'No Update Available',
  'logged_out.title': 'Logged Out',
  'logged_out.ok': 'OK',
  'logged_out.no_systems': 'No serial number(s) are linked to your account.',
  'logged_out.refresh_reply': 'Invalid response from token refresh API',
  'failure.chunk': 'Loading chunk failed',
  'error.invalid_credentials': 'Invalid credentials.',
  'error.no_systems': 'No serial number(s) are linked to your account.',
  'field.email_taken': 'user with this e-mail already exists',
  'field.passwords_differ': 'Passwords should match',
  'field.serial_format': 'digits or capital letters',
  'field.serial_uppercase': 'All serial numbers must be in uppercase',
  'field.serial_used': 'already used by another user',
  'role.electrician': 'I am an electrician',
  'account.systems.added': 'Serial numbers added',
  'groups.created': 'created successfully',
  'update.news.finished': 'ok!',
  'update.news.part_finished': 'Info!',
  'update.news.interrupted': 'Error!',
  'update.hint.wait': 'Update Mode',
} satisfies Partial<Record<keyof typeof en, string>>

describe('a text that the specification quotes', () => {
  it.each(Object.entries(QUOTED))('%s says "%s"', (id, quote) => {
    expect(en[id as keyof typeof QUOTED]).toContain(quote)
  })
})
