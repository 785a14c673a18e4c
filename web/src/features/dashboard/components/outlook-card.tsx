import { Link } from '@tanstack/react-router'
import { CloudDownload, CloudSun, KeyRound, type LucideIcon, Route } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '@/components/ui/card'
import { textLinkStyle } from '@/components/ui/text-link'
import { useT } from '@/lib/i18n/use-t'

/**
 * What is to come: forecast, plan, updates, who may look. Nothing is invented: where there is nothing yet, it says so.
 * @param updates how many systems have one waiting
 */
export function OutlookCard({ updates }: { updates: number }) {
  const { t } = useT()
  return (
    <Card title={t('outlook.title')}>
      <ul className="grid gap-4">
        <Row icon={CloudSun} title={t('outlook.forecast')}>
          {t('outlook.forecast.none')}
        </Row>
        <Row icon={Route} title={t('outlook.plan')}>
          {t('outlook.plan.none')}
        </Row>
        <Row icon={CloudDownload} title={t('top.updates')}>
          {updates === 0 ? (
            t('top.no_update')
          ) : (
            <Link to="/update" className={textLinkStyle}>
              {t('top.updates_pending', { count: updates })}
            </Link>
          )}
        </Row>
        <Row icon={KeyRound} title={t('outlook.grants')}>
          {t('outlook.grants.none')}
        </Row>
      </ul>
    </Card>
  )
}

function Row({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-surface-2 text-muted">
        <Icon aria-hidden className="size-[18px]" />
      </span>
      <div className="min-w-0">
        <h3 className="text-[14px] font-medium">{title}</h3>
        <p className="text-[13px] text-muted">{children}</p>
      </div>
    </li>
  )
}
