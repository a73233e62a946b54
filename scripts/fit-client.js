/**
 * `npm run fit-client -- --minutes 10`: makes the published client smaller without a change of what it does, by trying other orders of
 * its functions and other short names, of properties and in functions (`scripts/client-output.json`), and keeps the smallest that it finds. For whoever has changed the
 * client and meets its limit in `test/client/size.test.ts`. It is simulated annealing: now and then a larger one is gone on from, less
 * often as time passes, since the best is seldom reached by improvements alone.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { fit, fitFile, minified, namesInOrder, piecesOf, published } from './client-output.js'
import { openClient } from './client-package.js'
import { localNames, withLocalNames } from './local-names.js'

/** @typedef {import('./client-output.js').Fit} Fit */

const root = fileURLToPath(new URL('..', import.meta.url))
const pieces = await bundled()
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
/** Those that the minifier takes first stand first. */
const letters = [...'etnriaoslcudfpmhgvybxSCwTDEkOAjMNPFILRzBHUVWGKqJXYQZ_$']

const begunAt = Date.now()
const endsAt = begunAt + Number(values.minutes) * 60_000
const before = bytesOf(published(pieces, fit))
let [current, least] = [fit, before]
while (Date.now() < endsAt) {
  current = search(inOtherForms(current), 20_000)
  current = search(withOtherNames(current), 50)
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
 * Other orders of the minified functions and other names in them, which takes a tenth of what minifying takes.
 *
 * @param {Fit} given @returns {Trial}
 */
function inOtherForms({ names, order, locals }) {
  const { run, functions, globals } = minified(pieces, { names })
  const known = new Map([...functions].map(([name, text]) => [name, localNames(text, globals)]))
  const named = new Map([...functions].map(([name, text]) => [name, namer(text, globals)]))
  // Letters that fit no more stand for those that the minifier took.
  const letters = [...known].map(([name, { names }]) => {
    const isFitting = named.get(name)?.(locals[name]) !== functions.get(name)
    return [name, isFitting ? locals[name] : names.join('')]
  })
  return {
    given: { names, order: namesInOrder(functions, order), locals: Object.fromEntries(letters) },
    change: (given) => (below(4) === 0 ? withMoved(given) : withOtherLetter(given, known)),
    codeOf: ({ order, locals }) => run.join('') + order.map((name) => named.get(name)?.(locals[name])).join(''),
  }
}

/** Names the locals of a function; the last names are remembered. @param {string} text @param {Set<string>} globals */
function namer(text, globals) {
  const made = new Map()
  return (/** @type {string | undefined} */ letters) => {
    if (made.size > 100) made.clear()
    if (!made.has(letters)) made.set(letters, withLocalNames(text, globals, letters))
    return made.get(letters)
  }
}

/** @param {Fit} given @returns {Trial} */
function withOtherNames(given) {
  return { given, change: withRenamed, codeOf: (given) => published(pieces, given) }
}

/** How many bytes more are gone on from, on average: 2 at the beginning, none at the end. */
function tolerance() {
  return 2 * ((endsAt - Date.now()) / (endsAt - begunAt)) ** 2
}

/** @param {Fit} given */
function keep(given) {
  const bytes = bytesOf(published(pieces, given))
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

/** @param {string} code */
function bytesOf(code) {
  return gzipSync(code, { level: 9 }).length
}

/** A function, or up to four that follow each other, elsewhere. @param {Fit} given @returns {Fit} */
function withMoved({ order, ...rest }) {
  const moved = [...order]
  const taken = moved.splice(below(moved.length), 1 + below(below(5)))
  moved.splice(below(moved.length + 1), 0, ...taken)
  return { ...rest, order: moved }
}

/** Another short name; whoever had it takes the former one. @param {Fit} given @returns {Fit} */
function withRenamed({ names, ...rest }) {
  const property = Object.keys(names)[below(Object.keys(names).length)] ?? ''
  const name = letters[below(letters.length)] ?? ''
  const swapped = Object.entries(names).map(([other, its]) => [other, its === name ? names[property] : its])
  return { names: { ...Object.fromEntries(swapped), [property]: name }, ...rest }
}

/**
 * Another letter for a local name; which had it takes the former one.
 *
 * @param {Fit} given @param {Map<string, ReturnType<typeof localNames>>} known @returns {Fit}
 */
function withOtherLetter({ locals, ...rest }, known) {
  const [name, { names, isTaken }] = [...known][below(known.size)] ?? ['', { names: [], isTaken: () => true }]
  const current = locals[name] ?? names.join('')
  const former = current[below(current.length)] ?? ''
  const letter = letters[below(Math.min(letters.length, names.length + below(20)))] ?? ''
  if (former === '' || isTaken(letter)) return { locals, ...rest }
  const changed = [...current].map((one) => (one === former ? letter : one === letter ? former : one)).join('')
  return { ...rest, locals: { ...locals, [name]: changed } }
}

/** @param {number} count */
function below(count) {
  return Math.floor(Math.random() * count)
}
