import { useState } from 'react'
import { createOnWriteChoices } from '../../../client/protocol/model/create-on-write.js'
import { tiers } from '../../../client/protocol/model/limits.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { Button } from '../../parts/button.js'
import { wordsIn } from '../../parts/words.js'

/** Returns the allowed values of a setting, or an empty list for free text. */
export function listChoices(name: string): readonly string[] {
  const choices: Readonly<Record<string, readonly string[]>> = {
    tier: tiers,
    loginThrottle: ['account', 'address'],
    fileTypes: ['any', 'listed'],
    documentFiles: ['fixed', 'tier'],
    inlineFiles: ['safe', 'any'],
    dialect: Object.keys(dialects),
    createOnWrite: ['null', ...createOnWriteChoices],
  }
  return choices[name] ?? []
}

interface ControlProps {
  readonly name: string
  readonly value: unknown
  readonly choices: readonly string[]
  readonly isBusy: boolean
  readonly onSet: (value: unknown) => void
}

/** Renders a checkbox, a select, or a text field. Text is read as JSON if possible, else as text or a list of words. */
export function SettingControl({ name, value, choices, isBusy, onSet }: ControlProps) {
  if (typeof value === 'boolean') {
    return (
      <label className="check">
        <input
          type="checkbox"
          aria-label={name}
          checked={value}
          disabled={isBusy}
          onChange={({ target }) => onSet(target.checked)}
        />{' '}
        {value ? 'on' : 'off'}
      </label>
    )
  }
  if (choices.length > 0 && choices.includes(String(value))) {
    return (
      <select
        aria-label={name}
        value={String(value)}
        disabled={isBusy}
        onChange={({ target }) => onSet(target.value === 'null' ? null : target.value)}
      >
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  }
  return <TextControl {...{ name, value, isBusy, onSet }} />
}

function TextControl({ name, value, isBusy, onSet }: Omit<ControlProps, 'choices'>) {
  const before = typeof value === 'string' ? value : JSON.stringify(value)
  const [text, setText] = useState(before)
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault()
        onSet(parseSetting(text, Array.isArray(value)))
      }}
    >
      <input className="input mono" aria-label={name} value={text} onChange={({ target }) => setText(target.value)} />
      <Button type="submit" disabled={isBusy || text === before}>
        Set
      </Button>
    </form>
  )
}

function parseSetting(text: string, isList: boolean): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return isList ? wordsIn(text) : text
  }
}
