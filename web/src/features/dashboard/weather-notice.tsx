import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'

/** Few days of the year are so dull: it comes with its words when one does. */
export function WeatherNotice() {
  const { t } = useT()
  return (
    <Callout tone="warn" title={t('notice.weather')}>
      {t('notice.weather.text')}
    </Callout>
  )
}
