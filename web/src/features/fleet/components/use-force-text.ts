import type { InForce } from '@/components/in-force/model'
import { joinQuantity, percentQuantity, powerQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'

/** Short texts for what is in force, for the table. */
export function useForceText() {
  const { t, locale } = useT()
  const percent = (value: number | null | undefined) => joinQuantity(percentQuantity(value ?? 0, locale))
  return ({ kind, state, switch: step, progress, soc, power }: InForce): string => {
    switch (kind) {
      case 'update':
        if (step != null) return t('fleet.force.switch')
        if (state === 'waiting') return t('fleet.force.waiting')
        return state === 'interrupted'
          ? t('fleet.force.interrupted')
          : t('fleet.force.updating', { progress: percent(progress) })
      case 'grid_limit':
        return t('fleet.force.limited', { power: joinQuantity(powerQuantity(power ?? 0, locale)) })
      case 'charge':
        return t('fleet.force.charge', { soc: percent(soc) })
      case 'calibration':
        return t('fleet.force.calibration')
      default:
        return t('fleet.force.paused')
    }
  }
}
