/** The address of a database in a file, as a secret store writes it: user and password may be rotated while processes run. */
import { readFileSync } from 'node:fs'
import { isSamePlace, type RotatedAddress } from '../database/postgres/addresses.js'
import type { DatabaseAddresses } from '../storage.js'
import type { ServeConfig } from './config.js'

type Warn = (words: string) => void

/** The addresses of a configuration, each read again where it came from a file. */
export function currentAddresses(config: ServeConfig, warn: Warn): DatabaseAddresses {
  const { databaseUrl, databaseListenUrl, databaseReadUrl, databaseUrlFiles: files = {} } = config
  const of = (url: string | undefined, path: string | undefined) =>
    url === undefined || path === undefined ? url : openAddressFile(url, path, warn)
  return {
    databaseUrl: of(databaseUrl, files.databaseUrl),
    databaseListenUrl: of(databaseListenUrl, files.databaseListenUrl),
    databaseReadUrl: of(databaseReadUrl, files.databaseReadUrl),
  }
}

/** Read for each connection; one that cannot be used leaves user and password as they were, and is warned of once. */
export function openAddressFile(url: string, path: string, warn: Warn): RotatedAddress {
  let latest = url
  let warned: string | undefined
  return {
    url,
    current() {
      const { address, problem } = read(path, url)
      if (problem !== undefined && problem !== warned) {
        warn(`${path} ${problem}: user and password are those that it had before.`)
      }
      warned = problem
      latest = address ?? latest
      return latest
    },
  }
}

type Read =
  | { readonly address: string; readonly problem?: never }
  | { readonly address?: never; readonly problem: string }

function read(path: string, url: string): Read {
  let address: string
  try {
    address = readFileSync(path, 'utf8').trim()
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
  if (address === '') return { problem: 'is empty' }
  if (isSamePlace(address, url)) return { address }
  return { problem: 'does not name the server, database and options of the start, which take a restart to change' }
}
