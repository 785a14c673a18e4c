import { useMutation, useQuery } from '@tanstack/react-query'
import { Camera, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Skeleton } from '@/components/ui/skeleton'
import { ApiError } from '@/lib/api/errors'
import { cn } from '@/lib/cn'
import { refusalText } from '@/lib/form/refusal-text'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { addPhoto, deletePhoto, MAX_PHOTOS, type Photo, photoQuery } from './data'
import { shrink } from './shrink'

type Props = { sn: string; photos: readonly Photo[] }

/** Photos of the installation, such as the meter cabinet. */
export function Photos({ sn, photos }: Props) {
  const { t, locale } = useT()
  const input = useRef<HTMLInputElement>(null)
  const add = useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) await addPhoto(sn, await shrink(file))
    },
    onError: (error) =>
      notify.error(
        error instanceof ApiError ? refusalText(error, t, locale) : t('customer.photos.unreadable'),
      ),
  })
  return (
    <section aria-label={t('customer.photos')} className="grid content-start gap-3">
      <h3 className="text-md font-medium">{t('customer.photos')}</h3>
      {photos.length === 0 ? (
        <p className="text-sm text-muted">{t('customer.photos.none')}</p>
      ) : (
        <ul className="grid grid-cols-3 gap-2 sm:grid-cols-4">
          {photos.map((photo) => (
            <Thumbnail key={photo.id} sn={sn} photo={photo} />
          ))}
        </ul>
      )}
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        data-testid="photos"
        onChange={({ target }) => {
          const files = [...(target.files ?? [])]
          target.value = ''
          if (files.length > 0) add.mutate(files)
        }}
      />
      <Button
        variant="outline"
        size="s"
        busy={add.isPending}
        disabled={photos.length >= MAX_PHOTOS}
        onClick={() => input.current?.click()}
        className="justify-self-start"
      >
        <Camera aria-hidden className="size-4" />
        {t('customer.photos.add')}
      </Button>
    </section>
  )
}

/** A photo; a click opens it in full size. */
function Thumbnail({ sn, photo: { id, added_at } }: { sn: string; photo: Photo }) {
  const { t, locale } = useT()
  const [open, setOpen] = useState(false)
  const { data: address, error, isFetching, refetch } = useQuery(photoQuery(sn, id))
  const remove = useMutation({
    mutationFn: () => deletePhoto(sn, id),
    onError: (error) => notify.error(refusalText(error, t, locale)),
  })
  const name = t('customer.photo', { at: formatDateTime(added_at, { locale, timeZone: undefined }) })
  if (!address)
    return (
      <li aria-busy={!error} className={cn(error && 'col-span-full')}>
        {error ? (
          <NotLoaded title={name} error={error} busy={isFetching} onRetry={refetch} />
        ) : (
          <Skeleton className="aspect-square" />
        )}
      </li>
    )
  return (
    <li>
      <button type="button" onClick={() => setOpen(true)} className="block w-full rounded-lg">
        <img src={address} alt={name} className="aspect-square w-full rounded-lg object-cover" />
      </button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={name}
        tall
        footer={
          <>
            <Button variant="outline" onClick={() => setOpen(false)}>
              {t('ui.close')}
            </Button>
            <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
              <Trash2 aria-hidden className="size-4" />
              {t('customer.photo.delete')}
            </Button>
          </>
        }
      >
        <img src={address} alt="" className="max-h-[70vh] w-full rounded-lg object-contain" />
      </Dialog>
    </li>
  )
}
