import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'

/** Loaded with its texts on demand: few days of a year need it. */
export function WeatherNotice() {
  const { t } = useT()
  return (
    <Callout tone="warn" title={t('notice.weather')}>
      {t('notice.weather.text')}
    </Callout>
  )
}
