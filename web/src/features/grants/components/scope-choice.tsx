import { cn } from '@/lib/cn'
import type { Scope } from '@/lib/data/grants'
import type { TextBinding } from '@/lib/form/use-form'
import type { MessageId } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'

type Props = {
  field: TextBinding
  label: string
  scopes: readonly Scope[]
  /** The texts address the system's owner. */
  owner?: boolean
}

/** The description of a scope; some have a version for the owner. */
export const scopeText = (scope: Scope, owner: boolean): MessageId =>
  owner && scope === 'service' ? 'grants.scope.service.yours' : `grants.scope.${scope}.text`

/** Chooses a scope. Radio buttons, so arrow keys work. */
export function ScopeChoice({ field: { name, value, onChange }, label, scopes, owner = false }: Props) {
  const { t } = useT()
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <div className="grid gap-2">
        {scopes.map((scope) => (
          <label
            key={scope}
            className={cn(
              'flex cursor-pointer items-start gap-3 rounded-xl border border-line px-4 py-3 transition-colors hover:border-line-strong',
              'has-checked:border-accent has-checked:bg-surface-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
            )}
          >
            <input
              type="radio"
              name={name}
              value={scope}
              checked={value === scope}
              onChange={onChange}
              className="mt-0.5 size-5 shrink-0 appearance-none rounded-full border border-line-strong bg-surface outline-none checked:border-[6px] checked:border-accent"
            />
            <span className="min-w-0">
              <span className="block text-lg font-medium">{t(`grants.scope.${scope}`)}</span>
              <span className="block text-sm text-muted">{t(scopeText(scope, owner))}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
