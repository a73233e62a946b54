/** One of a few choices, side by side. The arrow keys move between them. */
import { useId } from 'react'

export interface Segment {
  readonly value: string
  readonly label: string
  /** Why it cannot be chosen. */
  readonly reason?: string | undefined
}

interface SegmentsProps {
  readonly id?: string
  readonly label: string
  readonly value: string | undefined
  readonly options: readonly Segment[]
  readonly onChange: (value: string) => void
}

export function Segments({ id, label, value, options, onChange }: SegmentsProps) {
  const name = useId()
  return (
    <div className="seg" role="radiogroup" aria-label={label} id={id} tabIndex={-1}>
      {options.map((option) => (
        <label key={option.value} title={option.reason}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            disabled={option.reason !== undefined}
            onChange={() => onChange(option.value)}
          />
          {option.reason === undefined ? option.label : <s>{option.label}</s>}
        </label>
      ))}
    </div>
  )
}
