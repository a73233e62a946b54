import { useState } from 'react'

interface JsonSettingsProps<Value> {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** Edits settings as JSON. Applies what is typed whenever it is valid. */
export function JsonSettings<Value>({ label, value, onChange }: JsonSettingsProps<Value>) {
  const [typed, setTyped] = useState<string>()
  const [error, setError] = useState('')
  return (
    <div className="settings-json">
      <textarea
        className="input grow"
        aria-label={label}
        aria-invalid={error !== ''}
        spellCheck={false}
        value={typed ?? JSON.stringify(value, undefined, 2)}
        onBlur={() => error === '' && setTyped(undefined)}
        onChange={({ target }) => {
          setTyped(target.value)
          try {
            onChange(JSON.parse(target.value) as Value)
            setError('')
          } catch (failure) {
            setError(failure instanceof Error ? failure.message : String(failure))
          }
        }}
      />
      {error === '' ? null : <small className="bad">{error}</small>}
    </div>
  )
}
