interface Difference {
  readonly part?: string
  readonly path: readonly (string | number)[]
  readonly before: string | null
  readonly after: string | null
}

/** Lists each difference with its old and new value. */
export function Differences({ differences }: { differences: readonly Difference[] }) {
  if (differences.length === 0) return <p className="padded dim">No differences.</p>
  return (
    <ul className="differences mono">
      {differences.slice(0, 200).map(({ part, path, before, after }) => (
        <li key={[part, ...path].join('.')}>
          <span className="dim">{[...(part === undefined ? [] : [part]), ...path].join('.') || 'whole value'}</span>
          {before === null ? null : <del>{before}</del>}
          {after === null ? null : <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  )
}
