import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Checkbox } from '@/components/ui/checkbox'
import { textLinkStyle } from '@/components/ui/text-link'
import { configQuery } from '@/lib/data/config'
import { useT } from '@/lib/i18n/use-t'

/** The checkbox for the terms. The catalogue marks the link with `<terms>` and `</terms>`. */
export function TermsCheckbox(props: Omit<ComponentProps<typeof Checkbox>, 'label'>) {
  const { t } = useT()
  const { data } = useQuery(configQuery)
  const [before, terms, after] = t('register.terms').split(/<\/?terms>/)
  const label = (
    <>
      {before}
      <a href={data?.links.terms} target="_blank" rel="noopener noreferrer" className={textLinkStyle}>
        {terms}
      </a>
      {after}
    </>
  )
  return <Checkbox {...props} required label={label} />
}
