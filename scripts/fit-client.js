/**
 * `npm run fit-client -- --minutes 10`: makes the published client smaller without a change of what it does, by trying other orders of
 * its functions and other short names (`scripts/client-output.json`), and keeps the smallest that it finds. For whoever has changed the
 * client and meets its limit in `test/client/size.test.ts`. It is simulated annealing: now and then a larger one is gone on from, less
 * often as time passes, since the best is seldom reached by improvements alone.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { minifySync } from 'rolldown/utils'
import { arranged, fit, fitFile, minifying, namesInOrder, piecesOf } from './client-output.js'
import { openClient } from './client-package.js'

/** @typedef {import('./client-output.js').Fit} Fit */

const root = fileURLToPath(new URL('..', import.meta.url))
const pieces = await bundled()
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$']

const begunAt = Date.now()
const endsAt = begunAt + Number(values.minutes) * 60_000
const before = bytesOf(published(fit))
let [current, least] = [fit, before]
while (Date.now() < endsAt) {
  current = search(inOtherOrders(current), 5_000)
  current = search(withOtherNames(current), 300)
}
console.log(`${before} bytes before, ${least} now.`)

/**
 * @typedef {object} Trial what is searched through
 * @property {Fit} given @property {(given: Fit) => Fit} change @property {(given: Fit) => string} codeOf
 */

/** @param {Trial} trial @param {number} tries @returns {Fit} where the search ended, which need not be the best */
function search({ given, change, codeOf }, tries) {
  let [current, bytes] = [given, bytesOf(codeOf(given))]
  for (let tried = 0; tried < tries && Date.now() < endsAt; tried++) {
    const next = change(current)
    const nextBytes = bytesOf(codeOf(next))
    if (nextBytes - bytes > tolerance() * -Math.log(Math.random())) continue
    current = next
    bytes = nextBytes
    if (bytes < least) keep(current)
  }
  return current
}

/**
 * Other orders of the minified functions, which takes a tenth of what minifying each order takes, and is nearly as exact.
 *
 * @param {Fit} given @returns {Trial}
 */
function inOtherOrders({ names, order }) {
  const all = namesInOrder(pieces, order)
  const { run, functions } = piecesOf(published({ names, order }))
  const minified = [...functions.values()]
  const textOf = new Map(all.map((name, at) => [name, minified[at]]))
  return {
    given: { names, order: all },
    change: withMoved,
    codeOf: ({ order }) => run.join('') + order.map((name) => textOf.get(name)).join(''),
  }
}

/** @param {Fit} given @returns {Trial} */
function withOtherNames(given) {
  return { given, change: withRenamed, codeOf: published }
}

/** How many bytes more are gone on from, on average: 2 at the beginning, none at the end. */
function tolerance() {
  return 2 * ((endsAt - Date.now()) / (endsAt - begunAt)) ** 2
}

/** @param {Fit} given */
function keep(given) {
  const bytes = bytesOf(published(given))
  if (bytes >= least) return
  least = bytes
  writeFileSync(fitFile, `${JSON.stringify(given, null, 2)}\n`)
  console.log(least)
}

async function bundled() {
  const build = await openClient(root, 'index')
  const { output } = await build.generate({ comments: false, minify: false, format: 'esm', codeSplitting: false })
  await build.close()
  return piecesOf(output[0].code)
}

/** @param {Fit} given */
function published(given) {
  return minifySync('index.mjs', arranged(pieces, given), { module: true, ...minifying(given) }).code
}

/** @param {string} code */
function bytesOf(code) {
  return gzipSync(code, { level: 9 }).length
}

/** A function, or up to four that follow each other, elsewhere. @param {Fit} given @returns {Fit} */
function withMoved({ names, order }) {
  const moved = [...order]
  const taken = moved.splice(below(moved.length), 1 + below(below(5)))
  moved.splice(below(moved.length + 1), 0, ...taken)
  return { names, order: moved }
}

/** Another short name; whoever had it takes the former one. @param {Fit} given @returns {Fit} */
function withRenamed({ names, order }) {
  const property = Object.keys(names)[below(Object.keys(names).length)] ?? ''
  const name = letters[below(letters.length)] ?? ''
  const swapped = Object.entries(names).map(([other, its]) => [other, its === name ? names[property] : its])
  return { names: { ...Object.fromEntries(swapped), [property]: name }, order }
}

/** @param {number} count */
function below(count) {
  return Math.floor(Math.random() * count)
}
