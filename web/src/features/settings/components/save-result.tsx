import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'
import { failuresOf, type SaveOutcome, warningsOf } from '../model/outcome'

/**
 * The result of the last save: systems that accepted it, and reasons of refusals. A plain success is shown by
 * the system's state.
 */
export function SaveResult({ outcome }: { outcome: SaveOutcome }) {
  const { t } = useT()
  const { success } = outcome
  const failures = failuresOf(outcome)
  const warnings = warningsOf(outcome)
  return (
    <div className="grid gap-3">
      {failures.length > 0 && success.length > 0 && (
        <Callout tone="ok" title={t('settings.saved')}>
          <span className="num">{success.join(', ')}</span>
        </Callout>
      )}
      {failures.length > 0 && (
        <Callout tone="danger" title={t('settings.save_failed')}>
          <ul className="grid gap-1">
            {failures.map(({ sn, texts }) => (
              <li key={sn}>
                <strong className="num font-semibold break-all">{sn}</strong>
                {texts.map(({ name, text }) => (
                  <span key={`${name} ${text}`} className="block">
                    {name ? t('ui.labelled', { label: t(`setting.${name}`), value: text }) : text}
                  </span>
                ))}
              </li>
            ))}
          </ul>
        </Callout>
      )}
      {warnings.length > 0 && (
        <Callout tone="warn">
          {warnings.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </Callout>
      )}
    </div>
  )
}
