import { describe, expect, it } from 'vitest'
import { makeEventReader } from './sse-parser'

describe('the event stream', () => {
  it('returns an event when it is complete, wherever it was split', () => {
    const read = makeEventReader()
    expect(read('id: 7\nevent: da')).toEqual([])
    expect(read('ta\ndata: {"a":1}\n')).toEqual([])
    expect(read('\nid: 8\n')).toEqual([{ id: '7', name: 'data', data: '{"a":1}' }])
    expect(read('data: x\n\n')).toEqual([{ id: '8', name: 'message', data: 'x' }])
  })

  it('returns the same events, however short the pieces are', () => {
    const text = 'id: 1\r\ndata: a\r\n\r\ndata: b\n\n: here\n\nid: 2\ndata: c\n\n'
    const whole = makeEventReader()(text)
    expect(whole.map(({ data }) => data)).toEqual(['a', 'b', 'c'])
    for (const size of [1, 2, 3, 5, 7]) {
      const read = makeEventReader()
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(pieces.flatMap(read), `pieces of ${size}`).toEqual(whole)
    }
  })

  it('ignores comments, which only keep the connection open', () => {
    expect(makeEventReader()(': still here\n\n')).toEqual([])
  })

  it('joins several lines of data', () => {
    expect(makeEventReader()('data: a\r\ndata: b\r\n\r\n')).toEqual([
      { id: null, name: 'message', data: 'a\nb' },
    ])
  })
})
