import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { useT } from '@/lib/i18n/use-t'
import { canContinue, canStart, isUnderWay } from '../model'
import type { WizardControl } from '../use-wizard'

/** Back, withdraw or leave, next, start, finish: depending on step and phase. */
export function WizardButtons({ wizard, several }: { wizard: WizardControl; several: boolean }) {
  const { t } = useT()
  const { step, phase, status } = wizard
  const [asking, setAsking] = useState<'start' | 'withdraw' | 'leave' | null>(null)
  const underWay = isUnderWay(phase)
  const away = phase === 'waiting' ? 'withdraw' : 'leave'
  // Leaving a waiting update only makes sense if there are others to choose.
  const leavable = step === 1 && phase === 'waiting' && several
  const close = () => setAsking(null)
  const begins = status?.checks.needs_off && !status.checks.switched_off ? t('update.confirm.switch') : ''
  if (step === 2)
    return (
      <div className="flex justify-end">
        <Button onClick={wizard.end}>{t('update.end')}</Button>
      </div>
    )
  return (
    <div className="flex flex-wrap justify-end gap-3">
      {step === 1 && (
        <Button
          variant="outline"
          className={leavable ? undefined : 'mr-auto'}
          onClick={() => (underWay ? setAsking(away) : wizard.go(0))}
        >
          {t(underWay ? `update.${away}` : 'update.previous')}
        </Button>
      )}
      {leavable && (
        <Button variant="outline" className="mr-auto" onClick={() => setAsking('leave')}>
          {t('update.leave')}
        </Button>
      )}
      <Button
        variant={step === 0 ? 'primary' : 'outline'}
        disabled={!canContinue(wizard)}
        onClick={() => wizard.go(1)}
      >
        {t('update.next')}
      </Button>
      {step === 1 && (
        <Button disabled={!canStart(phase, status)} onClick={() => setAsking('start')}>
          {t('update.start')}
        </Button>
      )}
      <Question
        open={asking === 'start'}
        onClose={close}
        title={t('update.confirm')}
        text={`${t('update.confirm.text', { sn: wizard.sn })} ${begins}`.trim()}
        yes={t('update.start')}
        no={t('ui.no')}
        onYes={wizard.start}
      />
      <Question
        open={asking === 'withdraw'}
        onClose={close}
        title={t('update.withdraw.question')}
        text={t('update.withdraw.text')}
        yes={t('update.withdraw')}
        no={t('update.withdraw.no')}
        onYes={wizard.withdraw}
      />
      <Question
        open={asking === 'leave'}
        onClose={close}
        title={t('update.leave.question')}
        text={t(phase === 'waiting' ? 'update.leave.waiting' : 'update.leave.text')}
        yes={t('update.leave')}
        no={t('update.leave.no')}
        onYes={wizard.leave}
      />
    </div>
  )
}

type QuestionProps = {
  open: boolean
  onClose: () => void
  title: string
  text: string
  yes: string
  no: string
  onYes: () => void
}

function Question({ open, onClose, title, text, yes, no, onYes }: QuestionProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(still) => !still && onClose()}
      title={title}
      description={text}
      footer={
        <>
          <Button variant="outline" onClick={onClose}>
            {no}
          </Button>
          <Button
            onClick={() => {
              onClose()
              onYes()
            }}
          >
            {yes}
          </Button>
        </>
      }
    />
  )
}
