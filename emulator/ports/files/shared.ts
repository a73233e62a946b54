/**
 * Coalesces concurrent calls. A call during a run waits for the next run, because the current one may have started too
 * early for it.
 */
export function shared(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined

  function begin(): Promise<void> {
    next = undefined
    const begun = work().finally(() => {
      if (current === begun) current = undefined
    })
    current = begun
    return begun
  }

  return () => {
    if (!current) return begin()
    next ??= current.then(begin, begin)
    return next
  }
}
