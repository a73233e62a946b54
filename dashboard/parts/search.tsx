/** The field in the head of a page that narrows its list, which `/` leads to. */
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
