/** Somebody else saved the document first: what only one of both changed is joined, the rest is chosen field by field. */
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
        <b>This document was saved elsewhere while you edited it.</b>
        <span>
          Version {version} is stored. Fields that only one of you changed are joined
          {merged.choices.length === 0 ? '; nothing has to be chosen.' : '; choose for the others.'}
        </span>
      </div>
      {merged.choices.map(({ field, mine: here, theirs: there }) => (
        <fieldset key={field} className="choice">
          <legend className="mono">{field}</legend>
          {[
            { words: 'mine', value: here, isTheirs: false },
            { words: 'theirs', value: there, isTheirs: true },
          ].map(({ words, value, isTheirs }) => (
            <label key={words}>
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
              {words} <code className="mono cut">{value === undefined ? 'missing' : JSON.stringify(value)}</code>
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
