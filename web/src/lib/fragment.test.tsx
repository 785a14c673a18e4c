import { act, renderHook } from '@testing-library/react'
import { StrictMode } from 'react'
import { beforeEach, describe, expect, it } from 'vitest'
import { readFragment, useFragment } from './fragment'

beforeEach(() => history.replaceState({ index: 7 }, '', '/password_reset?x=1#token=a-b_c'))

describe('the secret of a link', () => {
  it('is read and removed from the address at once, without a new history entry', () => {
    const entries = history.length
    const { result, rerender } = renderHook(() => useFragment('token'), { wrapper: StrictMode })
    expect(result.current).toBe('a-b_c')
    expect(location.href).toBe('http://localhost:3000/password_reset?x=1')
    expect(history.length).toBe(entries)
    expect(history.state).toEqual({ index: 7 })
    rerender()
    expect(result.current).toBe('a-b_c')
  })

  it('is read from a link that is opened in a tab which already shows the page', () => {
    history.replaceState(null, '', '/password_reset')
    const { result } = renderHook(() => useFragment('token'))
    expect(result.current).toBeNull()
    act(() => {
      history.replaceState(null, '', '#token=later')
      dispatchEvent(new Event('hashchange'))
    })
    expect(result.current).toBe('later')
    expect(location.hash).toBe('')
  })

  it('of another link stays', () => {
    const { result } = renderHook(() => useFragment('confirm'))
    expect(result.current).toBeNull()
    expect(location.hash).toBe('#token=a-b_c')
  })

  it('may be missing', () => {
    expect(readFragment('token', '')).toBeNull()
    expect(readFragment('token', '#token=')).toBeNull()
  })
})
