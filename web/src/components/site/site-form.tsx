import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import { type Site, saveSite, siteQuery } from '@/lib/data/site'
import { useForm } from '@/lib/form/use-form'
import { formatNumber } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import {
  checkSite,
  fieldOf,
  formatTyped,
  initialSite,
  isSiteErrorCode,
  MAX_PLANES,
  PLANE_FIELDS,
  peakOf,
  placeBody,
  siteBody,
  zonesWith,
} from './model'
import { PlaneFields } from './plane-fields'
import { PositionButton } from './position-button'
import { TownField } from './town-field'

type Props = {
  site: Site
  /** Other systems of the household. */
  others: readonly string[]
}

/** The form of a site, for people who may change it. */
export function SiteForm({ site, others }: Props) {
  const { t, locale } = useT()
  const queries = useQueryClient()
  const id = useId()
  const [planes, setPlanes] = useState(() => [...site.planes.keys()])
  const [everywhere, setEverywhere] = useState(false)
  const next = useRef(site.planes.length)
  const list = useRef<HTMLDivElement>(null)
  const fixed = site.time_zone_fixed
  const form = useForm({
    initial: initialSite(site, locale),
    check: (values) => {
      const found = Object.entries(checkSite(values, planes))
      return Object.fromEntries(
        found.map(([name, wrong]) => [name, isSiteErrorCode(wrong) ? t(wrong) : wrong]),
      )
    },
    send: async (values) => {
      const same = everywhere ? others : []
      await saveSite(site.sn, siteBody(values, planes, fixed), same, placeBody(values))
      notify.success(t('site.saved'))
      // The server rounds coordinates; the form then shows the stored values.
      const kept = await queries.fetchQuery({ ...siteQuery(site.sn), staleTime: 0 })
      form.reset(initialSite(kept, locale))
      setPlanes([...kept.planes.keys()])
    },
  })
  const peak = peakOf(form.values, planes)

  function setCoordinates(latitude: number, longitude: number) {
    form.set('latitude', formatTyped(latitude, locale))
    form.set('longitude', formatTyped(longitude, locale))
  }

  function add() {
    const plane = next.current
    next.current += 1
    for (const name of PLANE_FIELDS) form.set(fieldOf(name, plane), '')
    setPlanes((before) => [...before, plane])
    // Focuses the first field of the added plane after it was rendered.
    requestAnimationFrame(() => {
      const boxes = list.current?.querySelectorAll('fieldset')
      boxes
        ?.item(boxes.length - 1)
        ?.querySelector('input')
        ?.focus()
    })
  }

  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      <TownField
        field={form.text('place')}
        onTown={([, latitude, longitude]) => setCoordinates(latitude, longitude)}
      />
      <PositionButton onFound={({ latitude, longitude }) => setCoordinates(latitude, longitude)} />
      <fieldset aria-describedby={`${id}-coordinates`} className="grid min-w-0 gap-1.5">
        <legend className="sr-only">{t('site.coordinates')}</legend>
        <div className="grid grid-cols-2 items-end gap-4">
          <Field {...form.text('latitude')} label={t('site.latitude')} autoComplete="off" />
          <Field {...form.text('longitude')} label={t('site.longitude')} autoComplete="off" />
        </div>
        <p id={`${id}-coordinates`} className="text-sm text-muted">
          {t('site.coordinates.hint')}
        </p>
      </fieldset>
      {others.length > 0 && (
        <Checkbox
          label={t('site.others')}
          checked={everywhere}
          onChange={({ target }) => setEverywhere(target.checked)}
        />
      )}
      <Select
        {...form.text('time_zone')}
        label={t('site.time_zone')}
        hint={t(fixed ? 'site.time_zone.fixed' : 'site.time_zone.hint')}
        disabled={fixed}
        options={zonesWith(site.time_zone).map((zone) => ({ value: zone, label: zone }))}
      />
      <div ref={list} className="grid gap-3">
        <div>
          <h3 className="text-sm font-medium">{t('site.planes')}</h3>
          <p className="mt-1 text-sm text-muted">{t('site.planes.text')}</p>
        </div>
        {planes.map((plane, place) => (
          <PlaneFields
            key={plane}
            plane={plane}
            place={place + 1}
            text={form.text}
            onRemove={() => setPlanes((before) => before.filter((one) => one !== plane))}
          />
        ))}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Button variant="outline" size="s" disabled={planes.length >= MAX_PLANES} onClick={add}>
            <Plus aria-hidden className="size-4" />
            {t('site.plane.add')}
          </Button>
          <p role="status" className="num text-md">
            {peak !== null && t('site.peak', { kwp: formatNumber(peak, locale, 2) })}
          </p>
        </div>
      </div>
      <Button type="submit" variant="outline" busy={form.busy} className="justify-self-start">
        {t('account.save')}
      </Button>
    </form>
  )
}
