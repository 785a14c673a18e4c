import { useT } from '@/lib/i18n/use-t'

/** First stop of the Tab key. The address stays as it is: behind its `#` a mailed link may hold a secret. */
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
