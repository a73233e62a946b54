/** Controls for text, numbers, choices, dates and raw JSON. */
import { useRef, useState } from 'react'
import type { Json } from '../../../../client/index.js'
import { parseExactJson } from '../../../../client/protocol/model/exact-json.js'
import { RemoveButton } from '../../../parts/button.js'
import { Icon } from '../../../parts/icons.js'
import { Segments } from '../../../parts/segments.js'
import { Time } from '../../../parts/time.js'
import { Toggle } from '../../../parts/toggle.js'
import type { ControlProps } from './control.js'
import { formatChoice } from './rules.js'

const longText = { characters: 60, maxLength: 200 }

export function TextControl({ id, label, rule, value, onChange, placeholder, isWrong }: ControlProps) {
  const text = String(value ?? '')
  // A field without a value stays missing, and one with a text may become empty.
  const [isEmptied] = useState(() => value !== undefined)
  const [isLong] = useState(
    () =>
      rule.format === 'markdown' ||
      (rule.maxLength ?? 0) > longText.maxLength ||
      text.length > longText.characters ||
      text.includes('\n'),
  )
  const Element = isLong ? 'textarea' : 'input'
  return (
    <span className="in">
      <Element
        id={id}
        className={isLong ? 'words' : 'grow'}
        aria-label={label}
        aria-invalid={isWrong}
        placeholder={placeholder}
        spellCheck={isLong}
        autoComplete="off"
        value={text}
        onChange={({ target }) => onChange(target.value === '' && !isEmptied ? undefined : target.value)}
      />
      {rule.maxLength === undefined ? null : (
        <small>
          {text.length}/{rule.maxLength}
        </small>
      )}
    </span>
  )
}

/** Keeps what is typed as text until it is a number, so that the check of the schema names it. */
export function NumberControl({ id, label, rule, value, onChange, placeholder, isWrong }: ControlProps) {
  const [typed, setTyped] = useState<string>()
  const { min, max } = rule
  return (
    <span className="in short">
      <input
        id={id}
        className="mono grow"
        inputMode="decimal"
        aria-label={label}
        aria-invalid={isWrong}
        placeholder={placeholder}
        autoComplete="off"
        value={typed ?? String(value ?? '')}
        onBlur={() => setTyped(undefined)}
        onChange={({ target }) => {
          setTyped(target.value)
          onChange(readNumber(target.value))
        }}
      />
      {min === undefined && max === undefined ? null : (
        <small>
          {min ?? ''}–{max ?? ''}
        </small>
      )}
    </span>
  )
}

function readNumber(text: string): Json | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const number = Number(trimmed)
  const isExact = !Number.isInteger(number) || Number.isSafeInteger(number)
  return Number.isFinite(number) && isExact ? number : text
}

export function ToggleControl({ id, label, value, onChange, placeholder }: ControlProps) {
  return (
    <span className="line">
      <Toggle id={id} label={label} isOn={value === true} onChange={onChange} />
      {value === undefined ? (
        <Unset words={placeholder} />
      ) : (
        <span className="was">{value === true ? 'Yes' : 'No'}</span>
      )}
    </span>
  )
}

/** Says what a missing value stands for. */
function Unset({ words }: { words: string | undefined }) {
  const said = words === undefined || words === 'mixed' ? (words ?? 'not set') : `${words} by default`
  return <span className="was">{said}</span>
}

const fewChoices = { count: 4, characters: 36 }

/** Shows up to four short values side by side, and more as a list. */
export function ChoiceControl(props: ControlProps) {
  const { rule, value, onChange, isNarrow = false } = props
  const texts = (rule.enum ?? []).map(formatChoice)
  const chosen = value === undefined ? undefined : formatChoice(value)
  const choose = (text: string) => onChange(rule.enum?.[texts.indexOf(text)])
  const isFew = texts.length <= fewChoices.count && texts.join('').length <= fewChoices.characters
  const Chosen = isFew && !isNarrow ? ChoiceSegments : ChoiceSelect
  return <Chosen {...props} {...{ texts, chosen, choose }} />
}

interface ChoiceProps extends ControlProps {
  readonly texts: readonly string[]
  readonly chosen: string | undefined
  readonly choose: (text: string) => void
}

function ChoiceSegments({ id, label, texts, chosen, choose, onChange, placeholder, isRequired }: ChoiceProps) {
  const options = texts.map((text) => ({ value: text, label: text }))
  return (
    <>
      <Segments id={id} label={label} value={chosen} options={options} onChange={choose} />
      {chosen === undefined && placeholder !== undefined ? <Unset words={placeholder} /> : null}
      {chosen === undefined || isRequired ? null : (
        <RemoveButton label={`Clear ${label}`} onClick={() => onChange(undefined)} />
      )}
    </>
  )
}

function ChoiceSelect({ id, label, texts, chosen, choose, placeholder, isRequired, isWrong }: ChoiceProps) {
  const isOther = chosen !== undefined && !texts.includes(chosen)
  return (
    <select
      id={id}
      aria-label={label}
      aria-invalid={isWrong}
      value={chosen ?? ''}
      onChange={({ target }) => choose(target.value)}
    >
      {isRequired && chosen !== undefined ? null : <option value="">{placeholder ?? '–'}</option>}
      {isOther ? <option>{chosen}</option> : null}
      {texts.map((text) => (
        <option key={text}>{text}</option>
      ))}
    </select>
  )
}

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })

/** Takes a date or time as it is stored, or from the calendar of the browser. */
export function DateControl({ id, label, rule, value, onChange, isWrong, placeholder }: ControlProps) {
  const picker = useRef<HTMLInputElement>(null)
  const isDay = rule.type === 'string'
  const text = String(value ?? '')
  const isDate = !Number.isNaN(Date.parse(text))
  const pick = (picked: string) => {
    if (picked !== '') onChange(isDay ? picked : new Date(picked).toISOString())
  }
  return (
    <span className="line">
      <span className={`in ${isDay ? 'short' : 'time'}`}>
        <input
          id={id}
          className="mono grow"
          aria-label={label}
          aria-invalid={isWrong}
          placeholder={placeholder ?? (isDay ? 'YYYY-MM-DD' : 'YYYY-MM-DDThh:mmZ')}
          autoComplete="off"
          value={text}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        />
        <button
          type="button"
          className="icon-button small"
          aria-label={`Choose ${label}`}
          onClick={() => picker.current?.showPicker()}
        >
          <Icon name="calendar" />
        </button>
        <input
          ref={picker}
          className="picked-date"
          type={isDay ? 'date' : 'datetime-local'}
          tabIndex={-1}
          aria-hidden="true"
          value={isDate ? text.slice(0, isDay ? 10 : 16) : ''}
          onChange={({ target }) => pick(target.value)}
        />
      </span>
      {isDate ? (
        <span className="was">
          <span>
            {weekday.format(new Date(text))}, <Time at={text} />
          </span>
        </span>
      ) : null}
    </span>
  )
}

/** Edits any value as JSON. Applies what is typed whenever it is valid, and removes the value when it is emptied. */
export function JsonControl({ id, label, value, onChange, placeholder, isWrong }: ControlProps) {
  const [typed, setTyped] = useState<string>()
  const text = typed ?? (value === undefined ? '' : JSON.stringify(value))
  const isJson = typed === undefined || typed === '' || parsed(typed) !== undefined
  return (
    <span className="in">
      <textarea
        id={id}
        className="mono grow"
        rows={1}
        aria-label={label}
        aria-invalid={!isJson || isWrong}
        placeholder={placeholder}
        spellCheck={false}
        value={text}
        onBlur={() => isJson && setTyped(undefined)}
        onChange={({ target }) => {
          setTyped(target.value)
          const next = target.value === '' ? undefined : parsed(target.value)
          if (next !== undefined || target.value === '') onChange(next)
        }}
      />
    </span>
  )
}

export function parsed(text: string): Json | undefined {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}
