/**
 * Configures TLS from an address. The driver would ignore an unknown setting, and throw inside its pool if a file is
 * missing for a moment.
 */
import { readFileSync } from 'node:fs'
import type pg from 'pg'

/** An address for the driver, without the TLS settings. */
export type Secured = Pick<pg.ClientConfig, 'connectionString' | 'ssl'>

/** The driver treats the first five as `verify-full`; none of them is weaker here. */
const modes: Readonly<Record<string, { readonly rejectUnauthorized?: false } | false>> = {
  ...{ allow: {}, prefer: {}, require: {}, 'verify-ca': {}, 'verify-full': {} },
  'no-verify': { rejectUnauthorized: false },
  disable: false,
}
const files = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const
/** Settings that the driver reads itself. */
const drivers = ['ssl', 'sslnegotiation']

/**
 * Reads the files named in an address. If one cannot be read later, its last content stays.
 * @throws {Error} for an unknown setting, or a file that could never be read
 */
export function openTls(): (url: string) => Secured {
  const read = new Map<string, string>()

  function readText(name: string, path: string): string {
    const { text, problem } = readPem(path)
    if (text !== undefined) read.set(path, text)
    const known = read.get(path)
    if (known === undefined) throw new Error(`${name} names "${path}", which ${problem}`)
    return known
  }

  return (url) => {
    // With this setting, the driver treats the modes as PostgreSQL's clients do.
    if (/[?&]uselibpqcompat=true\b/.test(url)) return { connectionString: url }
    const { sslmode, ...others } = tlsSettings(url)
    const unknown = Object.keys(others).find((name) => !Object.hasOwn(files, name) && !drivers.includes(name))
    if (unknown !== undefined) throw new Error(`its setting "${unknown}" is not known`)
    const mode = modes[sslmode ?? 'require']
    if (mode === undefined) throw new Error(`sslmode=${sslmode} is not known`)
    const named = Object.entries(files).flatMap(([name, option]) => {
      const path = others[name]
      // PostgreSQL's clients use this word for the system's certificate authorities.
      return path === undefined || path === 'system' ? [] : [{ name, option, path }]
    })
    if (sslmode === undefined && named.length === 0) return { connectionString: url }
    if (mode === false) return { connectionString: withoutSettings(url), ssl: false }
    const texts = named.map(({ name, option, path }) => [option, readText(name, path)])
    return { connectionString: withoutSettings(url), ssl: { ...mode, ...Object.fromEntries(texts) } }
  }
}

/** Advice for TLS errors, by the messages of Node, the driver, the server and `openTls`. */
const remedies: readonly (readonly [RegExp, (flag: string) => string])[] = [
  [
    /unable to verify|self[- ]signed|unable to get (?:local )?issuer|certificate not trusted/,
    (flag) =>
      `The server's certificate is signed by an authority that is not trusted here. Pass its certificate: ${flag} …?sslmode=require&sslrootcert=/path/to/ca.pem.`,
  ],
  [
    /does not match certificate's altnames/,
    (flag) => `Use the host name of the certificate in ${flag}, or get a certificate for this name.`,
  ],
  [/certificate (?:has expired|is not yet valid)/, () => 'Renew the certificate of the server, and check the clocks.'],
  [
    /does not support SSL/,
    (flag) => `Set ssl = on in postgresql.conf of the server, or leave sslmode out of ${flag} on a trusted network.`,
  ],
  [/no encryption|SSL off/, (flag) => `The server requires TLS: add ?sslmode=require to ${flag}.`],
  [
    /client certificate|alert (?:unknown ca|(?:bad )?certificate)|key values mismatch/,
    (flag) => `Pass a certificate that the server trusts, and its key, with sslcert and sslkey in ${flag}.`,
  ],
  [/^ssl\w+ names /, (flag) => `Make it a readable PEM file, or use another file in ${flag}.`],
  [
    /sslmode=.* is not known/,
    (flag) =>
      `Use sslmode=require in ${flag}, which verifies the certificate and the host name like verify-full, or no-verify or disable.`,
  ],
  [
    /its setting "ssl.*" is not known/i,
    (flag) => `Valid settings in ${flag} are sslmode, sslrootcert, sslcert, sslkey and sslnegotiation.`,
  ],
]

/** Returns advice if TLS caused the error. */
export function tlsRemedy(message: string, flag: string): string | undefined {
  return remedies.find(([words]) => words.test(message))?.[1](flag)
}

/** Returns the settings of an address that begin with `ssl`. */
function tlsSettings(url: string): Readonly<Record<string, string>> {
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  return Object.fromEntries([...query].filter(([name]) => /^ssl/i.test(name)))
}

function withoutSettings(url: string): string {
  return url.replace(/\?([^#]*)/, (_, query: string) => {
    const kept = query.split('&').filter((setting) => !/^ssl(?:mode|rootcert|cert|key)=/.test(setting))
    return kept.length === 0 ? '' : `?${kept.join('&')}`
  })
}

function readPem(path: string): { text: string; problem?: never } | { text?: never; problem: string } {
  try {
    const text = readFileSync(path, 'utf8')
    return text.includes('-----BEGIN ') ? { text } : { problem: 'is not a PEM file' }
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}
