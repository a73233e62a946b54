/** What makes the published client small, beside minifying. */
import { readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'

/**
 * @typedef {object} Fit
 * @property {Record<string, string>} names Properties that only modules of the client hand to each other, and what each is called in
 *   the published file. None of them may be a name of the API, of the wire or of a platform: every property of that name is renamed. In
 *   sources and in the toolkit's own `dist/client` they keep their names.
 * @property {string[]} order The functions of the client, as close to those they resemble as can be: equal pieces near each other take
 *   fewer bits. One that is missing here stands last, which costs some bytes and nothing else.
 */

export const fitFile = new URL('client-output.json', import.meta.url)

/** What was found by trial, by `scripts/fit-client.js`. @type {Fit} */
export const fit = JSON.parse(readFileSync(fitFile, 'utf8'))

/** @param {Fit} given */
export function minifying({ names }) {
  const include = new RegExp(`^(${Object.keys(names).join('|')})$`)
  return { mangleProps: { include, cache: names } }
}

/** @param {Fit} given @returns {import('rolldown').OutputOptions} */
export function publishedOutput(given) {
  const plugins = [{ name: 'arranged', renderChunk: (/** @type {string} */ code) => arranged(piecesOf(code), given) }]
  return { comments: false, minify: minifying(given), plugins }
}

/**
 * A bundle's text in two parts: what is run from top to bottom, and the functions, which may stand anywhere, since they are there before
 * anything is run.
 *
 * @param {string} code
 */
export function piecesOf(code) {
  const { body } = parseAst(code)
  const textOf = (/** @type {{ start: number, end: number }} */ { start, end }) => code.slice(start, end)
  const functions = new Map(
    body.flatMap((one) => (one.type === 'FunctionDeclaration' ? [[one.id?.name ?? '', textOf(one)]] : [])),
  )
  const run = body.flatMap((one) => {
    if (one.type === 'FunctionDeclaration') return []
    // `let` for each, so that those that follow one another become one statement.
    return one.type === 'VariableDeclaration' ? [textOf(one).replace(/^const\b/, 'let')] : [textOf(one)]
  })
  return { run, functions }
}

/** @typedef {ReturnType<typeof piecesOf>} Pieces */

/** @param {Pieces} pieces @param {Pick<Fit, 'order'>} given */
export function arranged({ run, functions }, { order }) {
  return [...run, ...namesInOrder({ functions }, order).map((name) => functions.get(name))].join('\n')
}

/** @param {Pick<Pieces, 'functions'>} pieces @param {string[]} order */
export function namesInOrder({ functions }, order) {
  return [...new Set([...order.filter((name) => functions.has(name)), ...functions.keys()])]
}
