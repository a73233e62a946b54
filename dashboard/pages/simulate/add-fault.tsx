import { useState } from 'react'
import { type FaultInput, type FaultKind, faultKinds } from '../../../client/protocol/model/faults/fault.js'
import { Button } from '../../parts/button.js'
import { Field } from '../../parts/dialog.js'

/** What a kind needs beside which requests it meets. */
const needs: {
  readonly [Kind in FaultKind]?: readonly (readonly [name: keyof FaultInput, words: string, usual: number])[]
} = {
  latency: [
    ['milliseconds', 'milliseconds', 500],
    ['jitter', 'jitter', 0],
  ],
  status: [['status', 'status', 503]],
  slow: [['bytesPerSecond', 'bytes a second', 20_000]],
  flap: [['seconds', 'every … seconds', 5]],
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
        const [method, path] = ['method', 'path'].map((name) => String(form.get(name) ?? '').trim())
        onAdd({
          kind,
          rate: Number(form.get('rate')) / 100,
          ...(method ? { method } : {}),
          ...(path ? { path } : {}),
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
      <Field label="Share, %">
        <input className="input mono" name="rate" type="number" min={0} max={100} defaultValue={100} required />
      </Field>
      {figures.map(([name, words, usual]) => (
        <Field key={name} label={words}>
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
