import { useMutation, useQuery } from '@tanstack/react-query'
import { BookmarkPlus, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { SETTING_NAMES, type SystemSettings, type Value, valueText } from '../model/fields'
import { createTemplate, deleteTemplate, renameTemplate, type Template, templatesQuery } from './data'
import { TemplateComparison } from './template-comparison'
import { useSpecs } from './use-specs'

/** The open dialog; the number resets its form at each opening. */
type DialogState = {
  kind: 'create' | 'rename' | 'delete'
  template: Template | null
  number: number
  open: boolean
}

type Props = {
  /** The checked fields. */
  fields: Record<string, string>
  /** The settings of the selected systems; null if there are none, or too many to show. */
  systems: readonly SystemSettings[] | null
  onUse: (template: Template) => void
}

/** The electrician's templates. */
export function TemplatesCard({ fields, systems, onUse }: Props) {
  const { t, locale } = useT()
  const { data: templates, error } = useQuery(templatesQuery)
  const [dialog, setDialog] = useState<DialogState>({
    kind: 'create',
    template: null,
    number: 0,
    open: false,
  })
  const [compared, setCompared] = useState<number | null>(null)
  const begin = (kind: DialogState['kind'], template: Template | null) =>
    setDialog(({ number }) => ({ kind, template, number: number + 1, open: true }))
  const close = () => setDialog((before) => ({ ...before, open: false }))
  const any = Object.keys(fields).length > 0
  return (
    <Card
      title={t('batch.templates')}
      description={t('batch.templates.text')}
      aria-busy={!templates && !error}
      action={
        <Button variant="outline" size="s" disabled={!any} onClick={() => begin('create', null)}>
          <BookmarkPlus aria-hidden className="size-4" />
          {t('batch.template.create')}
        </Button>
      }
    >
      {error && <Callout tone="danger">{refusalText(error, t, locale)}</Callout>}
      {!templates && !error && <Skeleton className="h-24" />}
      {templates?.length === 0 && <p className="text-md text-muted">{t('batch.templates.none')}</p>}
      <ul className="divide-y divide-line">
        {templates?.map((template) => (
          <li key={template.id} className="grid gap-2 py-3 text-md">
            <div className="min-w-0">
              <p className="font-medium wrap-anywhere">{template.name}</p>
              <TemplateSummary template={template} />
            </div>
            <div className="flex flex-wrap gap-1">
              <Button
                variant="outline"
                size="s"
                aria-label={t('batch.template.use.label', { name: template.name })}
                onClick={() => {
                  onUse(template)
                  notify.toast(t('batch.template.used', { name: template.name }))
                }}
              >
                {t('batch.template.use')}
              </Button>
              {systems && (
                <Button
                  variant="outline"
                  size="s"
                  aria-expanded={compared === template.id}
                  aria-label={t('batch.compare.label', { name: template.name })}
                  onClick={() => setCompared(compared === template.id ? null : template.id)}
                >
                  {t('batch.compare')}
                </Button>
              )}
              <Button
                variant="ghost"
                size="s"
                aria-label={t('batch.template.rename.label', { name: template.name })}
                onClick={() => begin('rename', template)}
              >
                <Pencil aria-hidden className="size-4" />
              </Button>
              <Button
                variant="ghost"
                size="s"
                aria-label={t('batch.template.delete.label', { name: template.name })}
                onClick={() => begin('delete', template)}
              >
                <Trash2 aria-hidden className="size-4" />
              </Button>
            </div>
            {systems && compared === template.id && (
              <TemplateComparison template={template} systems={systems} />
            )}
          </li>
        ))}
      </ul>
      {dialog.number > 0 && dialog.kind !== 'delete' && (
        <NameDialog
          key={dialog.number}
          open={dialog.open}
          template={dialog.template}
          fields={fields}
          onClose={close}
        />
      )}
      {dialog.kind === 'delete' && dialog.template && (
        <DeleteDialog key={dialog.number} open={dialog.open} template={dialog.template} onClose={close} />
      )}
    </Card>
  )
}

/** "Reserve: 30 % · Laden ab: 22:00" */
function TemplateSummary({ template: { fields } }: { template: Template }) {
  const { t, locale } = useT()
  const specs = useSpecs()
  const lines = SETTING_NAMES.flatMap((name) => {
    const value = (fields[name] ?? null) as Value
    if (value === null) return []
    const spec = specs?.[name]
    const text = spec ? valueText(value, spec, t, locale) : String(value)
    return t('ui.labelled', { label: t(`setting.${name}`), value: text })
  })
  return <p className="num text-sm text-muted wrap-anywhere">{lines.join(' · ')}</p>
}

type DialogProps = { open: boolean; onClose: () => void }
type NameProps = DialogProps & { template: Template | null; fields: Record<string, string> }

/** @param template null for a new one with the checked fields */
function NameDialog({ open, onClose, ...form }: NameProps) {
  const { t } = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t(form.template ? 'batch.template.rename' : 'batch.template.create')}
      description={form.template ? undefined : t('batch.template.create.text')}
    >
      <NameForm {...form} onClose={onClose} />
    </Dialog>
  )
}

function NameForm({ template, fields, onClose }: Omit<NameProps, 'open'>) {
  const { t } = useT()
  const form = useForm({
    initial: { name: template?.name ?? '' },
    check: ({ name }) => ({ name: name.trim() === '' ? 'required' : null }),
    send: async ({ name }) => {
      await (template ? renameTemplate(template.id, name) : createTemplate(name, fields))
      notify.success(t('batch.template.saved', { name: name.trim() }))
      onClose()
    },
  })
  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      <Field {...form.text('name')} label={t('batch.template.name')} autoComplete="off" required />
      <FormButtons submit={t('account.save')} busy={form.busy} onCancel={onClose} />
    </form>
  )
}

function DeleteDialog({ template, open, onClose }: DialogProps & { template: Template }) {
  const { t } = useT()
  const { name } = template
  const remove = useMutation({
    mutationFn: () => deleteTemplate(template.id),
    onSuccess: async () => {
      onClose()
      notify.success(t('batch.template.deleted', { name }))
    },
  })
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t('batch.template.delete.title', { name })}
      text={t('batch.template.delete.text')}
      confirm={t('batch.template.delete')}
      work={remove}
    />
  )
}
