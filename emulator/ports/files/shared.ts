/**
 * Work that many ask for at once and that is done for all of them. Who asks while it is at work waits for the next turn, since
 * what is at work may have begun before what was asked for.
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
