import { ChevronDown, Moon, Sun } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { isLocale, LOCALES } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { useTheme } from '@/lib/theme'
import { useLanguage } from './use-language'

/** Language and theme on pages without a menu, as native selects, which need no script. */
export function Preferences() {
  const { t } = useT()
  const { locale, choose } = useLanguage()
  const { theme, toggle } = useTheme()
  const Icon = theme === 'dark' ? Sun : Moon
  return (
    <div className="flex items-center gap-1">
      <div className="relative">
        <select
          aria-label={t('top.language')}
          value={locale}
          onChange={({ target }) => isLocale(target.value) && choose(target.value)}
          className="h-11 cursor-pointer appearance-none rounded-xl bg-transparent pr-8 pl-3 text-sm font-medium text-muted hover:bg-surface-2 hover:text-text"
        >
          {Object.entries(LOCALES).map(([code, name]) => (
            <option key={code} value={code} lang={code} className="bg-surface text-text">
              {name}
            </option>
          ))}
        </select>
        <ChevronDown
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
        />
      </div>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('top.dark')}
        aria-pressed={theme === 'dark'}
        onClick={toggle}
      >
        <Icon aria-hidden className="size-4.5" />
      </Button>
    </div>
  )
}
