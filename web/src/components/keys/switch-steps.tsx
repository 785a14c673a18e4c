import { useT } from '@/lib/i18n/use-t'
import { CLAIM_MINUTES } from './model'

/** Instructions for completing a claim: the pattern of the main switch. */
export function SwitchSteps() {
  const { t } = useT()
  return (
    <>
      <ol className="mt-2 list-decimal space-y-1 pl-5">
        <li>{t('keys.step.off')}</li>
        <li>{t('keys.step.on')}</li>
        <li>{t('keys.step.wait', { minutes: CLAIM_MINUTES })}</li>
      </ol>
      <p className="mt-2">{t('keys.step.code')}</p>
    </>
  )
}
