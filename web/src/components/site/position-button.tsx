import { useMutation } from '@tanstack/react-query'
import { LocateFixed } from 'lucide-react'
import { useId } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { useT } from '@/lib/i18n/use-t'
import { formatTyped } from './model'
import { type Position, type PositionError, requestPosition } from './position'

/**
 * Fills in the device's position, and says what is stored of it; explains what to do if the browser refuses.
 */
export function PositionButton({ onFound }: { onFound: (position: Position) => void }) {
  const { t, locale } = useT()
  const id = useId()
  const { mutate, isPending, data, error } = useMutation<Position, PositionError>({
    mutationFn: requestPosition,
    onSuccess: onFound,
  })
  return (
    <div className="grid gap-2">
      <Button
        variant="outline"
        busy={isPending}
        aria-describedby={id}
        className="justify-self-start"
        onClick={() => mutate()}
      >
        <LocateFixed aria-hidden className="size-4" />
        {t('site.position')}
      </Button>
      <p id={id} className="text-sm text-muted">
        {t('site.position.text')}
      </p>
      {data && (
        <Callout tone="ok">
          {t('site.position.found', {
            latitude: formatTyped(data.latitude, locale),
            longitude: formatTyped(data.longitude, locale),
          })}
        </Callout>
      )}
      {error && <Callout tone="warn">{t(`site.position.${error}`)}</Callout>}
    </div>
  )
}
