/** The version in an `etag`; 0 where the service says none. */
export function versionIn(etag: string | null | undefined): number {
  return Number(/^(?:W\/)?"(\d+)"$/.exec(etag ?? '')?.[1] ?? 0)
}
