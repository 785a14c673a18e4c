import { Trans } from '@lingui/react'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Checkbox } from '@/components/ui/checkbox'
import { textLinkStyle } from '@/components/ui/text-link'
import { configQuery } from '@/lib/api/queries'

/** Agreement to the terms, with a link to read them. */
export function TermsCheckbox(props: Omit<ComponentProps<typeof Checkbox>, 'label'>) {
  const { data } = useQuery(configQuery)
  const link = (
    // biome-ignore lint/a11y/useAnchorContent: the catalogue's text goes in
    <a href={data?.links.terms} target="_blank" rel="noopener noreferrer" className={textLinkStyle} />
  )
  return <Checkbox {...props} required label={<Trans id="register.terms" components={{ terms: link }} />} />
}
