/**
 * `npm run fit-client -- --minutes 10`: makes the published client smaller without a change of what it does, by trying other orders of
 * its modules and other short names (`scripts/client-output.json`), and keeps the smallest that it finds. For whoever has changed the
 * client and meets its limit in `test/client/size.test.ts`. It is simulated annealing: now and then a larger one is gone on from, less
 * often as time passes, since the best is seldom reached by improvements alone.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { fit, fitFile, publishedOutput } from './client-output.js'
import { openClient } from './client-package.js'

/** @typedef {import('./client-output.js').Fit} Fit */

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$']

const begunAt = Date.now()
const endsAt = begunAt + Number(values.minutes) * 60_000
const before = await bytesOf(fit)
let [current, bytes, least] = [fit, before, before]
while (Date.now() < endsAt) {
  const next = Math.random() < 0.5 ? withMoved(current) : withRenamed(current)
  const nextBytes = await bytesOf(next)
  if (nextBytes - bytes > tolerance() * -Math.log(Math.random())) continue
  current = next
  bytes = nextBytes
  if (bytes < least) keep()
}
console.log(`${before} bytes before, ${least} now.`)

/** How many bytes more are gone on from, on average: 2 at the beginning, none at the end. */
function tolerance() {
  return 2 * ((endsAt - Date.now()) / (endsAt - begunAt)) ** 2
}

function keep() {
  least = bytes
  writeFileSync(fitFile, `${JSON.stringify(current, null, 2)}\n`)
  console.log(least)
}

/** @param {Fit} given */
async function bytesOf(given) {
  const build = await openClient(root, 'index', given)
  const { output } = await build.generate({ ...publishedOutput(given), format: 'esm', codeSplitting: false })
  await build.close()
  return gzipSync(output[0].code, { level: 9 }).length
}

/** A module, or up to four that follow each other, elsewhere. @param {Fit} given @returns {Fit} */
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
