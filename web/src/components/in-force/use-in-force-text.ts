import { useClockText } from '@/components/live/live-mark'
import { joinQuantity, percentQuantity, powerQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { InForce } from './model'

/** Authors that are named; other causes are part of the sentence itself. */
const PEOPLE = ['you', 'owner', 'household', 'electrician'] as const

const UPDATE_STATES = ['waiting', 'running', 'interrupted'] as const
const SWITCH_STEPS = ['off', 'on_then_off', 'on'] as const

const known = <T extends string>(values: readonly T[], value: string | null | undefined): T | undefined =>
  values.find((one) => one === value)

/** Texts for effects. @param now server time */
export function useInForceText(timeZone: string, now: number) {
  const { t, locale } = useT()
  const clock = useClockText(timeZone, now)
  const percent = (value: number | null | undefined) => joinQuantity(percentQuantity(value ?? 0, locale))
  const watts = (value: number | null | undefined) => joinQuantity(powerQuantity(value ?? 0, locale))

  function title(one: InForce): string {
    const { kind, until, soc, power, mode, part, parts, progress } = one
    switch (kind) {
      case 'pause':
        return until == null ? t('in_force.pause') : t('in_force.pause.until', { time: clock(until) })
      case 'charge':
        return power == null
          ? t('in_force.charge', { soc: percent(soc) })
          : t('in_force.charge.power', { soc: percent(soc), power: watts(power) })
      case 'grid_limit':
        return t('in_force.grid_limit', { power: watts(power) })
      case 'reserve':
        return soc == null ? t('in_force.reserve') : t('in_force.reserve.soc', { soc: percent(soc) })
      case 'plan':
        return t(mode === 'charge' ? 'in_force.plan.charge' : 'in_force.plan.hold', {
          time: until == null ? '' : clock(until),
        })
      case 'calibration':
        return t('in_force.calibration')
      case 'brake':
        return t('in_force.brake')
      case 'update': {
        const step = known(SWITCH_STEPS, one.switch)
        if (step) return t(`in_force.update.switch.${step}`)
        const state = known(UPDATE_STATES, one.state) ?? 'running'
        return t(`in_force.update.${state}`, {
          part: part ?? 1,
          parts: parts ?? 1,
          progress: percent(progress),
        })
      }
      default:
        return kind
    }
  }

  /** System, start and author. */
  function note({ sn, since, by, company }: InForce): string {
    const person = known(PEOPLE, by)
    const who = person === 'electrician' && company ? company : person && t(`in_force.by.${person}`)
    const began = since == null ? null : t('in_force.since', { time: clock(since) })
    return [sn, began, who && t('in_force.by', { who })].filter(Boolean).join(' · ')
  }

  return { title, note }
}
