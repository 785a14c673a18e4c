import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { useT } from '@/lib/i18n/use-t'
import { goToStep } from '../memory'
import { isUnderWay, mayGoOn, mayStart } from '../model'
import type { Wizard } from '../use-wizard'

/** Back or cancel, on, start, end: what is possible depends on the step and on the update. */
export function WizardButtons({ wizard }: { wizard: Wizard }) {
  const { t } = useT()
  const { step, phase, status } = wizard
  const [asking, setAsking] = useState<'start' | 'cancel' | null>(null)
  const underWay = isUnderWay(phase)
  const close = () => setAsking(null)
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
          className="mr-auto"
          onClick={() => (underWay ? setAsking('cancel') : goToStep(0))}
        >
          {t(underWay ? 'ui.cancel' : 'update.previous')}
        </Button>
      )}
      <Button
        variant={step === 0 ? 'primary' : 'outline'}
        disabled={!mayGoOn(wizard)}
        onClick={() => goToStep(1)}
      >
        {t('update.next')}
      </Button>
      {step === 1 && (
        <Button disabled={!mayStart(phase, status)} onClick={() => setAsking('start')}>
          {t('update.start')}
        </Button>
      )}
      <Question
        open={asking === 'start'}
        onClose={close}
        title={t('update.confirm')}
        text={t('update.confirm.text', { sn: wizard.sn })}
        yes={t('update.start')}
        onYes={wizard.start}
      />
      <Question
        open={asking === 'cancel'}
        onClose={close}
        title={t('update.cancel')}
        text={t(phase === 'waiting' ? 'update.cancel.waiting' : 'update.cancel.started')}
        yes={t('update.cancel.yes')}
        onYes={wizard.cancel}
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
  onYes: () => void
}

function Question({ open, onClose, title, text, yes, onYes }: QuestionProps) {
  const { t } = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={(still) => !still && onClose()}
      title={title}
      description={text}
      footer={
        <>
          <Button variant="outline" onClick={onClose}>
            {t('update.no')}
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
