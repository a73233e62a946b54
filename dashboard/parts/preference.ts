/** Something of this browser's that is the same for all emulators, such as the width of a pane. */
export function preference(name: string): string | null {
  return localStorage.getItem(`svc:${name}`)
}

export function keepPreference(name: string, value: string): void {
  localStorage.setItem(`svc:${name}`, value)
}
