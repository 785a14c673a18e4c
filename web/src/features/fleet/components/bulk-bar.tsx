import { Link } from '@tanstack/react-router'
import { CloudDownload, Download, FolderPlus, SlidersHorizontal, X } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { Button, buttonStyle } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import type { Chosen } from '../model/choice'
import type { Row } from '../model/row'
import { GroupDialog } from './group-dialog'

type Props = {
  chosen: Chosen
  rows: readonly Row[]
  /** Updates of the selected systems. */
  firmware: (rows: readonly Row[], open: boolean, onClose: () => void) => ReactNode
  onSave: () => void
  onClear: () => void
}

/** Actions for the selected systems. */
export function BulkBar({ chosen, rows, firmware, onSave, onClear }: Props) {
  const { t } = useT()
  const [dialog, setDialog] = useState({ number: 0, open: false })
  // The selection at the time of the click, so that live data cannot change the dialog.
  const [update, setUpdate] = useState<{ number: number; rows: readonly Row[]; open: boolean }>()
  return (
    <section
      aria-label={t('fleet.bulk')}
      // On a phone it is fixed above the bottom tabs while the list scrolls.
      className="flex flex-wrap items-center gap-2 rounded-xl border border-line bg-surface-2 px-4 py-2 max-md:fixed max-md:inset-x-3 max-md:bottom-[calc(4.75rem+env(safe-area-inset-bottom))] max-md:z-10 max-md:shadow-xl"
    >
      <p role="status" className="num mr-2 text-sm font-medium">
        {t('fleet.chosen', { count: chosen.size })}
      </p>
      <Button
        variant="outline"
        size="s"
        onClick={() => setDialog(({ number }) => ({ number: number + 1, open: true }))}
      >
        <FolderPlus aria-hidden className="size-4" />
        {t('fleet.assign')}
      </Button>
      <Link
        to="/electrician-settings"
        search={{ part: 'storage', sn: [...chosen].join() }}
        className={buttonStyle({ variant: 'outline', size: 's' })}
      >
        <SlidersHorizontal aria-hidden className="size-4" />
        {t('fleet.change_settings')}
      </Link>
      <Button
        variant="outline"
        size="s"
        onClick={() => setUpdate((before) => ({ number: (before?.number ?? 0) + 1, rows, open: true }))}
      >
        <CloudDownload aria-hidden className="size-4" />
        {t('fleet.start_updates')}
      </Button>
      <Button variant="outline" size="s" onClick={onSave}>
        <Download aria-hidden className="size-4" />
        {t('fleet.csv_chosen')}
      </Button>
      <Button variant="ghost" size="s" className="sm:ml-auto" onClick={onClear}>
        <X aria-hidden className="size-4" />
        {t('fleet.clear')}
      </Button>
      {update && (
        <Fragment key={update.number}>
          {firmware(update.rows, update.open, () => setUpdate({ ...update, open: false }))}
        </Fragment>
      )}
      {dialog.number > 0 && (
        <GroupDialog
          key={dialog.number}
          open={dialog.open}
          chosen={chosen}
          onClose={() => setDialog((before) => ({ ...before, open: false }))}
          onDone={onClear}
        />
      )}
    </section>
  )
}
