/** Opens an address in the browser. Does nothing without a browser, so callers print the address too. */
export async function openInBrowser(url: string): Promise<void> {
  const { default: open } = await import('open')
  const opening = await open(url).catch(() => undefined)
  opening?.on('error', () => undefined)
}
