/** The port that says who has written, to every process that listens. It carries no data: readers ask the table. */
export interface Bus {
  /** To be called after a commit; costs nothing where nobody listens. */
  wake(project: string): void
  /**
   * Hears of every project that may have changed, `undefined` if it may be any: more often than needed, never less. The
   * answer ends it.
   */
  listen(listener: (project: string | undefined) => void): () => void
  close(): Promise<void>
}
