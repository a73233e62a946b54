/** What makes the published client small, beside minifying. */
import { readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { minifySync } from 'rolldown/utils'
import { withLocalNames } from './local-names.js'

/**
 * @typedef {object} Fit
 * @property {Record<string, string>} names Properties that only modules of the client hand to each other, and what each is called in
 *   the published file. None of them may be a name of the API, of the wire or of a platform: every property of that name is renamed. In
 *   sources and in the toolkit's own `dist/client` they keep their names.
 * @property {string[]} order The functions of the client, as close to those they resemble as can be: equal pieces near each other take
 *   fewer bits. One that is missing here stands last, which costs some bytes and nothing else.
 * @property {Record<string, string>} locals By function, a letter for each of its local names, in the order in which they are met: what
 *   is called alike is an equal piece. What does not fit a function (any more) is left as the minifier made it.
 */

/** @typedef {{ run: string[], functions: Map<string, string>, globals: Set<string> }} Pieces `globals`: what it declares at the top */

export const fitFile = new URL('client-output.json', import.meta.url)

/** What was found by trial, by `scripts/fit-client.js`. @type {Fit} */
export const fit = JSON.parse(readFileSync(fitFile, 'utf8'))

/**
 * Names that no function uses, declared before all others: the letters that the minifier gives to them are left to local names, most of
 * which are then called the same in all functions.
 */
const unused = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => `${name}_of_nothing`)

/** @param {Fit} given @param {'cjs' | 'esm'} format @returns {import('rolldown').OutputOptions} */
export function publishedOutput(given, format) {
  // Nobody loads CommonJS over a network.
  if (format === 'cjs') return { comments: false, minify: minifying(given) }
  const renderChunk = (/** @type {string} */ code) => published(piecesOf(code), given)
  return { comments: false, minify: false, plugins: [{ name: 'published', renderChunk }] }
}

/** @param {Pieces} pieces @param {Fit} given */
export function published(pieces, { names, order, locals }) {
  const { run, functions, globals } = minified(pieces, { names })
  const named = namesInOrder(functions, order).map((name) =>
    withLocalNames(functions.get(name) ?? '', globals, locals[name]),
  )
  return [...run, ...named].join('')
}

/** @param {Pieces['functions']} functions @param {string[]} order */
export function namesInOrder(functions, order) {
  return [...new Set([...order.filter((name) => functions.has(name)), ...functions.keys()])]
}

/**
 * Minified, the functions by the names that they had before.
 *
 * @param {Pieces} pieces @param {Pick<Fit, 'names'>} given @returns {Pieces}
 */
export function minified({ run, functions }, given) {
  const reserving = [`import { ${unused} } from 'nothing'`, `export default [${unused}]`]
  const text = [...reserving, ...run, ...functions.values()].join('\n')
  const made = piecesOf(minifySync('index.mjs', text, { module: true, ...minifying(given) }).code)
  const texts = [...made.functions.values()]
  return {
    ...made,
    run: made.run.slice(reserving.length),
    functions: new Map([...functions.keys()].map((name, at) => [name, texts[at] ?? ''])),
  }
}

/** @param {Pick<Fit, 'names'>} given */
function minifying({ names }) {
  const include = new RegExp(`^(${Object.keys(names).join('|')})$`)
  return { mangleProps: { include, cache: names } }
}

/**
 * A bundle's text in two parts: what is run from top to bottom, and the functions, which may stand anywhere, since they are there before
 * anything is run.
 *
 * @param {string} code @returns {Pieces}
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
  const variables = body.flatMap((one) => (one.type === 'VariableDeclaration' ? one.declarations : []))
  const named = variables.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  return { run, functions, globals: new Set([...functions.keys(), ...named]) }
}
