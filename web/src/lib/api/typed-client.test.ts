import { expect, it } from 'vitest'
import { addressOf } from './typed-client'

it('fills in what stands in the path, and asks only for what has a value', () => {
  const { pathname, search } = addressOf('/api/auth/system/{sn}/', {
    path: { sn: 'A/1' },
    query: { page: 2, kind: undefined, format: null, name: 'a b' },
  })
  expect(pathname).toBe('/api/auth/system/A%2F1/')
  expect(search).toBe('?page=2&name=a+b')
})
