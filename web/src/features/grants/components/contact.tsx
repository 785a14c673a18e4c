import { Mail, Phone } from 'lucide-react'
import { textLinkStyle } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'

/** Mail and phone links. */
export function Contact({ email, phone }: { email: string; phone: string | null }) {
  const { t } = useT()
  const link = cn(textLinkStyle, 'inline-flex min-h-6 items-center gap-1.5')
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {phone && (
        <a href={`tel:${phone}`} className={cn(link, 'num')} aria-label={t('grants.call', { phone })}>
          <Phone aria-hidden className="size-3.5 shrink-0" />
          {phone}
        </a>
      )}
      <a href={`mailto:${email}`} className={link} aria-label={t('grants.write', { email })}>
        <Mail aria-hidden className="size-3.5 shrink-0" />
        <span className="min-w-0 wrap-anywhere">{email}</span>
      </a>
    </p>
  )
}
