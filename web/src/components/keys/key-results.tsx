import type { ReactNode } from 'react'
import { Callout } from '@/components/ui/callout'
import type { KeyResult } from '@/lib/data/claims'
import { useT } from '@/lib/i18n/use-t'
import { sortOutcomes } from './model'
import { SwitchSteps } from './switch-steps'

type Props = {
  results: KeyResult[]
  /** Shows the instructions for waiting claims, unless they are elsewhere on the page. */
  withSteps?: boolean
}

/** The result of each key: linked, waiting for the switch, or rejected with a reason. */
export function KeyResults({ results, withSteps = false }: Props) {
  const { t } = useT()
  const { linked, waiting, failed } = sortOutcomes(results)
  return (
    <div className="grid gap-3">
      {linked.length > 0 && (
        <Callout tone="ok" title={t('keys.linked')}>
          <KeyList results={linked} text={({ key, sns }) => sns.filter((sn) => sn !== key).join(', ')} />
        </Callout>
      )}
      {waiting.length > 0 && (
        <Callout tone="info" title={t('keys.waiting')}>
          <KeyList results={waiting} />
          {withSteps && <SwitchSteps />}
        </Callout>
      )}
      {failed.length > 0 && (
        <Callout tone="danger" title={t('keys.failed')}>
          <KeyList results={failed} text={({ text }) => text} />
        </Callout>
      )}
    </div>
  )
}

type ListProps = { results: KeyResult[]; text?: (result: KeyResult) => ReactNode }

function KeyList({ results, text }: ListProps) {
  return (
    <ul className="space-y-1">
      {results.map((result) => (
        <li key={result.key}>
          <strong className="num font-semibold break-all">{result.key}</strong>
          {text?.(result) && <span className="block text-muted">{text(result)}</span>}
        </li>
      ))}
    </ul>
  )
}
