import { useState } from 'react'
import { type FaultInput, type FaultKind, faultKinds } from '../../../client/protocol/model/faults/fault.js'
import { Button } from '../../parts/button.js'
import { Field } from '../../parts/dialog.js'

/** Extra fields of each fault kind. */
const needs: {
  readonly [Kind in FaultKind]?: readonly (readonly [name: keyof FaultInput, label: string, usual: number])[]
} = {
  latency: [
    ['milliseconds', 'Delay, ms', 500],
    ['jitter', 'Jitter, ms', 0],
  ],
  status: [['status', 'Status', 503]],
  slow: [['bytesPerSecond', 'Bytes per second', 20_000]],
  flap: [['seconds', 'Interval, s', 5]],
}

export function AddFault({ isBusy, onAdd }: { isBusy: boolean; onAdd: (fault: FaultInput) => void }) {
  const [kind, setKind] = useState<FaultKind>('latency')
  const figures = needs[kind] ?? []
  return (
    <form
      className="add-fault"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const text = (name: string) => String(form.get(name) ?? '').trim() || undefined
        onAdd({
          kind,
          rate: Number(form.get('rate')) / 100,
          method: text('method'),
          path: text('path'),
          times: Number(text('times')) || undefined,
          when: kind === 'drop' && text('when') === 'after' ? 'after' : undefined,
          ...Object.fromEntries(figures.map(([name]) => [name, Number(form.get(name))])),
        })
      }}
    >
      <Field label="Kind">
        <select value={kind} onChange={({ target }) => setKind(target.value as FaultKind)}>
          {Object.keys(faultKinds).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Field label="Method">
        <select name="method">
          <option value="">any</option>
          {['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Field label="Path">
        <input className="input mono" name="path" placeholder="/collections/posts/**" autoComplete="off" />
      </Field>
      <Field label="Rate, %">
        <input className="input mono" name="rate" type="number" min={0} max={100} defaultValue={100} required />
      </Field>
      <Field label="Times">
        <input className="input mono" name="times" type="number" min={1} placeholder="unlimited" />
      </Field>
      {kind === 'drop' ? (
        <Field label="When">
          <select name="when">
            <option value="before">before the request is carried out</option>
            <option value="after">after it is carried out</option>
          </select>
        </Field>
      ) : null}
      {figures.map(([name, label, usual]) => (
        <Field key={name} label={label}>
          <input className="input mono" name={name} type="number" min={0} defaultValue={usual} required />
        </Field>
      ))}
      <Button type="submit" disabled={isBusy}>
        Add
      </Button>
      <p className="dim">{faultKinds[kind]}</p>
    </form>
  )
}
