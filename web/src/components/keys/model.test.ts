import { describe, expect, it } from 'vitest'
import { CLAIM_LIFETIME } from '@/lib/constants'
import { firstWrongKey, followClaims, joinKeys, sortOutcomes, timeLeft } from './model'

const result = (key: string, status: string) => ({ key, status, sns: [], text: status })

describe('results of keys', () => {
  it('are linked, waiting or failed, and an unknown status counts as failed', () => {
    const results = [
      result('A', 'linked'),
      result('B', 'waiting'),
      result('C', 'unknown'),
      result('D', 'used'),
      result('E', 'wrong_format'),
      result('F', 'something_new'),
    ]
    const { linked, waiting, failed } = sortOutcomes(results)
    expect(linked.map(({ key }) => key)).toEqual(['A'])
    expect(waiting.map(({ key }) => key)).toEqual(['B'])
    expect(failed.map(({ key }) => key)).toEqual(['C', 'D', 'E', 'F'])
  })
})

describe('keys that are followed', () => {
  it('are linked when their claim has left the list, and otherwise say how it ended', () => {
    const keys = ['A', 'B', 'C', 'D'].map((key) => result(key, 'waiting'))
    const claims = [
      { sn: 'B', status: 'waiting', expires_at: 0 },
      { sn: 'C', status: 'lapsed', expires_at: 0 },
      { sn: 'D', status: 'contested', expires_at: 0 },
    ]
    const followed = followClaims([...keys, result('E', 'used')], claims, (status) => `text of ${status}`)
    expect(followed.map(({ status }) => status)).toEqual(['linked', 'waiting', 'lapsed', 'contested', 'used'])
    expect(followed[2]?.text).toBe('text of lapsed')
    expect(sortOutcomes(followed).failed.map(({ key }) => key)).toEqual(['C', 'D', 'E'])
  })
})

describe('the time left of a claim', () => {
  it('runs down to zero and not below', () => {
    expect(timeLeft(10_000, 4_000)).toBe(6_000)
    expect(timeLeft(10_000, 11_000)).toBe(0)
  })
  it('is never longer than a claim lasts', () => {
    expect(timeLeft(10 * CLAIM_LIFETIME, 0)).toBe(CLAIM_LIFETIME)
  })
})

describe('keys to add', () => {
  it('find the first invalid key', () => {
    expect(firstWrongKey(['8K2041773', '8k2041774'])).toEqual({
      key: '8k2041774',
      finding: 'serial_uppercase',
    })
    expect(firstWrongKey(['8K2041773'])).toBeNull()
    expect(firstWrongKey([''])).toEqual({ key: '', finding: 'key_required' })
  })
  it('are joined into one list, codes in capitals', () => {
    expect(joinKeys(['8K2041773', 'abcde-fghjk-mnpqr-stvwx'])).toBe('8K2041773,ABCDE-FGHJK-MNPQR-STVWX')
  })
})
