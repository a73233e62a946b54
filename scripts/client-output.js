/** What makes the published client small, beside minifying. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Fit
 * @property {Record<string, string>} names Properties that only modules of the client hand to each other, and what each is called in
 *   the published file. None of them may be a name of the API, of the wire or of a platform: every property of that name is renamed. In
 *   sources and in the toolkit's own `dist/client` they keep their names.
 * @property {string[]} order The modules of the client, as close to those they resemble as imports allow: equal pieces near each other
 *   take fewer bits. One that is missing here stands where it is imported first, which costs some bytes and nothing else.
 */

export const fitFile = new URL('client-output.json', import.meta.url)

/** What was found by trial, by `scripts/fit-client.js`. @type {Fit} */
export const fit = JSON.parse(readFileSync(fitFile, 'utf8'))

/** @param {Fit} given @returns {import('rolldown').OutputOptions} */
export function publishedOutput({ names }) {
  const include = new RegExp(`^(${Object.keys(names).join('|')})$`)
  return { comments: false, minify: { mangleProps: { include, cache: names } } }
}

/** @param {string} root @param {Fit} given @returns {import('rolldown').Plugin} */
export function inOrder(root, { order }) {
  const entry = join(root, 'client', 'index.ts')
  return {
    name: 'in-order',
    transform(code, id) {
      if (id !== entry) return null
      const imports = order.map((name) => `import './${name}.js'\n`)
      return { code: imports.join('') + code, moduleType: 'ts', map: null }
    },
  }
}
