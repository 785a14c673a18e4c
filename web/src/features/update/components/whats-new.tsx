import { formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { PartUpdate } from '../data'

/** The maker's release notes of each part. */
export function WhatsNew({ parts }: { parts: readonly PartUpdate[] }) {
  const { t } = useT()
  return (
    <section aria-labelledby="update-new" className="grid content-start gap-3">
      <h3 id="update-new" className="text-lg font-semibold">
        {t('update.new')}
      </h3>
      <ul className="grid gap-3">
        {parts.map(({ type, version, from_version, notes }) => (
          <li key={type} className="rounded-xl border border-line bg-bg px-4 py-3">
            <p className="num text-md font-semibold">
              {t(`update.part.${type}`)}{' '}
              <span className="font-normal text-muted">
                {t('update.from_to', { from: formatVersion(from_version), to: formatVersion(version) })}
              </span>
            </p>
            <p className="mt-1 text-md whitespace-pre-line wrap-anywhere text-muted">
              {notes ?? t('update.new.none')}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
