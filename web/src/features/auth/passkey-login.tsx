import { useMutation } from '@tanstack/react-query'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { loadChunk } from '@/lib/load-chunk'
import { knowsPasskeys } from '@/lib/passkey/problem'

type Props = {
  label: string
  size?: 's' | 'l'
  /** Logs in with the passkey's assertion. */
  send: (passkey: string) => Promise<unknown>
}

/**
 * Logs in with a passkey. Its code is loaded on the first click; hidden if the browser does not support
 * passkeys.
 */
export function PasskeyLogin({ label, size = 'l', send }: Props) {
  const { t, locale } = useT()
  const login = useMutation({
    mutationFn: async () => {
      const { showPasskey } = await loadChunk(() => import('@/lib/passkey/browser'))
      await send(await showPasskey())
    },
  })
  if (!knowsPasskeys()) return null
  return (
    <>
      {login.error && <Callout tone="danger">{refusalText(login.error, t, locale)}</Callout>}
      <Button variant="outline" size={size} busy={login.isPending} onClick={() => login.mutate()}>
        {label}
      </Button>
    </>
  )
}
