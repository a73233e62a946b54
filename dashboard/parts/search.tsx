/** Search field in the head of a page. `/` focuses it. */
export function Search({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  return (
    <input
      className="input"
      data-key="filter"
      type="search"
      placeholder={label}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
