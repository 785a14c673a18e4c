import { Settings2 } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Menu } from '@/components/ui/menu'
import { LOCALES, type Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { useTheme } from '@/lib/theme'
import { useLanguage } from '../use-language'

const LANGUAGES = (Object.entries(LOCALES) as [Locale, string][]).map(([value, name]) => ({
  value,
  label: (
    <span lang={value} className="flex items-baseline gap-3">
      <span aria-hidden className="w-6 text-xs font-semibold uppercase">
        {value}
      </span>
      {name}
    </span>
  ),
}))

/** A menu with theme and language. */
export function DisplayMenu() {
  const { t } = useT()
  const { locale, choose } = useLanguage()
  const { theme, setTheme } = useTheme()
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label={t('top.display')}>
          <Settings2 aria-hidden className="size-4.75" />
        </Button>
      }
    >
      {({ MenuChoice, MenuLabel, MenuSeparator, MenuSwitch }) => (
        <>
          <MenuSwitch checked={theme === 'dark'} onChange={(dark) => setTheme(dark ? 'dark' : 'light')}>
            {t('top.dark')}
          </MenuSwitch>
          <MenuSeparator />
          <MenuLabel>{t('top.language')}</MenuLabel>
          <MenuChoice label={t('top.language')} value={locale} options={LANGUAGES} onChange={choose} />
        </>
      )}
    </Menu>
  )
}
