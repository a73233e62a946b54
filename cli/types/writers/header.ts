/** What each file of types begins with, by which one is known that may be written over. */
export const header: readonly string[] = [
  'Written by `svc types generate` from the schemas and documents of the service.',
  'What is changed here is lost when it is written again.',
]

/** Whether a file was written here, so that it may be written over. */
export function isOurs(text: string): boolean {
  return text.slice(0, 500).includes('Written by `svc types generate`')
}
