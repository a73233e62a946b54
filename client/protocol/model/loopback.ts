/** Whether a host name, as `URL` writes it, is always this machine. */
function isLoopbackName(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** Whether an address is a page or a service of this machine. */
export function isLoopbackUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return (protocol === 'http:' || protocol === 'https:') && isLoopbackName(hostname)
}
