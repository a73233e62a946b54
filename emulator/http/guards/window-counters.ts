/** Holds a value per name and time window, and resets it with each window. Beyond the maximum, drops the oldest. */
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
