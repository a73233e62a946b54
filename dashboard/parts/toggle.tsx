interface ToggleProps {
  readonly id?: string
  readonly label: string
  readonly isOn: boolean
  /** On because of another choice, and cannot be switched here. */
  readonly isIncluded?: boolean
  readonly title?: string | undefined
  readonly onChange: (isOn: boolean) => void
}

/** A switch with three looks: on, off, and included in something wider. */
export function Toggle({ id, label, isOn, isIncluded = false, title, onChange }: ToggleProps) {
  return (
    <button
      id={id}
      type="button"
      role="switch"
      className={`tog ${isIncluded ? 'included' : ''}`}
      aria-checked={isOn || isIncluded}
      aria-label={label}
      aria-disabled={isIncluded}
      title={title}
      onClick={() => !isIncluded && onChange(!isOn)}
    />
  )
}
