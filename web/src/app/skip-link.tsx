import { useT } from '@/lib/i18n/use-t'

/** The first tab stop. It keeps the address, because the fragment may contain the secret of a mailed link. */
export function SkipLink() {
  const { t } = useT()
  return (
    // biome-ignore lint/a11y/useValidAnchor: it is a link within the page, only without a trace in the address
    <a
      href="#main"
      onClick={(event) => {
        event.preventDefault()
        document.getElementById('main')?.focus()
      }}
      className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-xl focus:bg-surface focus:px-4 focus:py-3 focus:font-medium focus:shadow-xl"
    >
      {t('nav.skip')}
    </a>
  )
}
