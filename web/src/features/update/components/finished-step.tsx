import { CircleCheck } from 'lucide-react'
import { formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { UpdateStatus } from '../data'

/** The battery is updated; its owner has to switch it on. When it is on, the update is complete. */
export function FinishedStep({ status }: { status: UpdateStatus | undefined }) {
  const { t } = useT()
  const done = status !== undefined && status.switch !== 'on' && !status.checks.switched_off
  const arrived = status?.updates.filter((part) => !part.new_update) ?? []
  return (
    <div className="flex gap-4">
      <CircleCheck aria-hidden className="size-10 shrink-0 text-ok" />
      <div className="min-w-0">
        <div role="status">
          <p className="text-2xl font-semibold">{t(done ? 'update.all_done' : 'update.switch.on')}</p>
          <p className="mt-1 text-md text-muted">
            {t(done ? 'update.all_done.text' : 'update.switch_on.text')}
          </p>
        </div>
        {arrived.length > 0 && (
          <ul className="num mt-3 grid gap-1 text-md">
            {arrived.map(({ type, version }) => (
              <li key={type}>
                {t(`update.part.${type}`)} {formatVersion(version)}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
