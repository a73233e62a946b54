/** Resolves a conflict: merges fields that only one side changed, and lets the user choose the others. */
import { useMemo, useState } from 'react'
import { Failure } from '../../../live/failure.js'
import { Button } from '../../../parts/button.js'
import type { Conflict } from './editing.js'
import { merge, withTheirs } from './merge.js'
import type { Edited } from './use-document.js'

export function ConflictView({ conflict, edited }: { conflict: Conflict; edited: Edited }) {
  const { base, mine, theirs } = conflict
  const merged = useMemo(() => merge(base, mine, theirs.data), [base, mine, theirs])
  const [theirFields, setTheirFields] = useState<ReadonlySet<string>>(new Set())
  const version = theirs.version ?? 1
  const chosen = merged.choices
    .filter(({ field }) => theirFields.has(field))
    .reduce((data, choice) => withTheirs(data, choice), merged.data)
  return (
    <div className="conflict">
      <div className="why">
        <b>Someone else saved this document while you edited it.</b>
        <span>
          Version {version} is stored. Changes that only one of you made are merged
          {merged.choices.length === 0 ? '. There is nothing to choose.' : '. Choose a value for the other fields.'}
        </span>
      </div>
      {merged.choices.map(({ field, mine: here, theirs: there }) => (
        <fieldset key={field} className="choice">
          <legend className="mono">{field}</legend>
          {[
            { label: 'mine', value: here, isTheirs: false },
            { label: 'theirs', value: there, isTheirs: true },
          ].map(({ label, value, isTheirs }) => (
            <label key={label}>
              <input
                type="radio"
                name={field}
                checked={theirFields.has(field) === isTheirs}
                onChange={() => {
                  const next = new Set(theirFields)
                  if (isTheirs) next.add(field)
                  else next.delete(field)
                  setTheirFields(next)
                }}
              />
              {label} <code className="mono cut">{value === undefined ? 'missing' : JSON.stringify(value)}</code>
            </label>
          ))}
        </fieldset>
      ))}
      <pre className="json mono">{JSON.stringify(chosen, undefined, 2).slice(0, 20_000)}</pre>
      {edited.failure ? <Failure error={edited.failure} /> : null}
      <div className="pane-foot">
        <Button onClick={edited.discard}>Discard mine</Button>
        <Button onClick={() => edited.editJoined(chosen)}>Go on editing</Button>
        <Button look="main" disabled={edited.isSaving} onClick={() => void edited.save({ data: chosen, version })}>
          Save merged
        </Button>
      </div>
    </div>
  )
}
