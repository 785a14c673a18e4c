import { useT } from '@/lib/i18n/use-t'
import { readTime } from '@/lib/validation/time'
import { checkField } from '../model/check'
import { type Draft, type Systems, shownText } from '../model/draft'
import { commonSpec, type SettingName } from '../model/fields'
import { barsOf } from '../model/window'

type Props = { systems: Systems; draft: Draft }
const HOURS = [0, 6, 12, 18, 24]

/**
 * The day as a bar, with the hours in which the battery may charge and discharge. Decorative: the fields have
 * the times.
 */
export function DayWindows({ systems, draft }: Props) {
  const { t, locale } = useT()
  const time = (name: SettingName) => {
    const [text, spec] = [shownText(draft, systems, name, locale), commonSpec(systems, name)]
    return text !== null && spec && checkField(text, spec) === null ? readTime(text) : null
  }
  return (
    <div aria-hidden className="mt-6 grid gap-2 text-xs text-muted">
      {(['charge', 'discharge'] as const).map((window) => (
        <div key={window} className="grid grid-cols-[6.5rem_1fr] items-center gap-3">
          <span>{t(`settings.window.${window}`)}</span>
          <div className="relative h-3 overflow-hidden rounded-full bg-surface-2">
            {barsOf(time(`${window}_start`), time(`${window}_end`)).map(({ from, to }) => (
              <span
                key={from}
                className="absolute inset-y-0 bg-battery"
                style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
              />
            ))}
          </div>
        </div>
      ))}
      <div className="num ml-[calc(6.5rem+0.75rem)] flex justify-between">
        {HOURS.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </div>
  )
}
