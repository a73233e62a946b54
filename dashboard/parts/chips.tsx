/** Values of a list, side by side. Each can be removed, and others added. */
import type { ReactNode } from 'react'
import { Icon } from './icons.js'

interface ChipProps {
  /** Names what the button does, such as `Remove red`. */
  readonly label: string
  readonly onRemove: () => void
  readonly children: ReactNode
}

export function Chip({ label, onRemove, children }: ChipProps) {
  return (
    <span className="chip-value">
      {children}
      <button type="button" aria-label={label} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  )
}

interface AddProps {
  readonly id?: string
  readonly label: string
  readonly names: readonly string[]
  readonly onAdd: (name: string) => void
}

export function AddChip({ id, label, names, onAdd }: AddProps) {
  return (
    <select
      id={id}
      className="add-chip link"
      aria-label={label}
      value=""
      disabled={names.length === 0}
      onChange={({ target }) => onAdd(target.value)}
    >
      <option value="">+ Add</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}
