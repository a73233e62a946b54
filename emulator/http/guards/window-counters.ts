/** What a process knows of windows of time, by name, each begun anew with its window. Of more than so many at once, the oldest start again. */
export function openWindowCounters<Value extends { readonly window: number }>(
  most: number,
  begin: (name: string, window: number) => Value,
): (name: string, window: number) => Value {
  const values = new Map<string, Value>()
  return (name, window) => {
    const known = values.get(name)
    if (known?.window === window) return known
    const fresh = begin(name, window)
    values.delete(name)
    values.set(name, fresh)
    const [oldest] = values.keys()
    if (values.size > most && oldest !== undefined) values.delete(oldest)
    return fresh
  }
}
