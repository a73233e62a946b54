import getPort, { portNumbers } from 'get-port'

/** Where `svc dev` listens by default. */
const usualPort = 4400
const triedPorts = 100

/** The folder's own port or, while others use that, the next one that is free: two projects can run side by side. */
export function firstFreePort(host: string | undefined, kept: number | undefined): Promise<number> {
  const port = [...(kept === undefined ? [] : [kept]), ...portNumbers(usualPort, usualPort + triedPorts)]
  // Where the address is not this machine's, binding to it says so.
  return getPort({ port, ...(host === undefined ? {} : { host }) }).catch(() => kept ?? usualPort)
}
