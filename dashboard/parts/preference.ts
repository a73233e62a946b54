/** Reads a preference of this browser, such as the width of a pane. Applies to all emulators. */
export function preference(name: string): string | null {
  return localStorage.getItem(`svc:${name}`)
}

export function keepPreference(name: string, value: string): void {
  localStorage.setItem(`svc:${name}`, value)
}
