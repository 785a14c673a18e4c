import { useT } from '@/lib/i18n/use-t'
import type { Slots } from '../commissioning-page'
import type { Work } from '../data'
import type { Commissioning, Step } from '../model'
import { CustomerForm } from './customer-form'
import { PhaseTest } from './phase-test'
import { StepForm } from './step-form'
import { UnitList } from './unit-list'

type Props = { step: Step; commissioning: Commissioning; work: Work; slots: Slots }

/** What each step asks for. */
export function StepContent({ step, commissioning, work, slots }: Props) {
  const { t } = useT()
  const { units, note } = commissioning
  const stated = step.stated as { notified?: boolean; tested?: boolean; instructed?: boolean; limit?: number }
  const settings = (...names: string[]) => units.map((sn) => <div key={sn}>{slots.settings(sn, names)}</div>)
  const send = (fields: Record<string, string | boolean>) => work.step(step.step, fields)
  const text = <p className="text-md text-muted">{t(`commissioning.${step.step}.text`)}</p>
  switch (step.step) {
    case 'units':
    case 'firmware':
      return (
        <>
          {text}
          <UnitList units={units} firmware={step.step === 'firmware'} />
          <StepForm send={send} />
        </>
      )
    case 'meter':
      return (
        <>
          {text}
          {settings('meter_type', 'meter_address', 'p_control_via')}
          {slots.meterTest(units)}
          <StepForm send={send} />
        </>
      )
    case 'phases':
      return (
        <>
          {text}
          <PhaseTest commissioning={commissioning} measure={work.measure} />
        </>
      )
    case 'limits':
      return (
        <>
          {text}
          {settings('charge_limit', 'discharge_limit')}
          <StepForm tick={{ name: 'notified', checked: stated?.notified === true }} send={send} />
        </>
      )
    case 'export_limit':
      return (
        <>
          {text}
          {settings('p_control', 'p_limit_tcp')}
          <StepForm line={{ name: 'limit', value: String(stated?.limit ?? ''), unit: 'W' }} send={send} />
        </>
      )
    case 'ups':
      return (
        <>
          {text}
          {settings('emergency_power', 'ups', 'plugin')}
          <StepForm tick={{ name: 'tested', checked: stated?.tested === true }} send={send} />
        </>
      )
    case 'customer':
      return (
        <>
          {text}
          <CustomerForm commissioning={commissioning} send={send} />
        </>
      )
    case 'instruction':
      return (
        <>
          {text}
          <StepForm
            tick={{ name: 'instructed', checked: stated?.instructed === true }}
            line={{ name: 'note', value: note }}
            send={send}
          />
        </>
      )
  }
}
