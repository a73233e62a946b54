/** Runs one command after another in the process that it was started in: loading the command line takes longer than most commands. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const bin = fileURLToPath(new URL('../../../cli/bin/run.js', import.meta.url))
const { runOnce } = await import(new URL('../../../dist/cli/bin/start.js', import.meta.url).href)

process.on('disconnect', () => process.exit())
process.on('message', async (/** @type {any} */ { words, cwd, env, isTerminal, mark }) => {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv = [process.execPath, bin, ...words]
  process.exitCode = undefined
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream.isTTY = isTerminal
  const before = listenersNow()
  await runOnce(root, words)
  removeNew(before)
  const exit = process.exitCode ?? 0
  for (const stream of [process.stdout, process.stderr]) stream.write(mark)
  process.send?.({ exit })
})
process.send?.({ exit: 0 })

/** @returns {Map<string | symbol, readonly Function[]>} */
function listenersNow() {
  return new Map(process.eventNames().map((name) => [name, process.listeners(/** @type {any} */ (name))]))
}

/**
 * A process that ends calls those who wait for it, and takes its listeners along.
 * @param {ReturnType<typeof listenersNow>} before
 */
function removeNew(before) {
  for (const [name, listeners] of listenersNow()) {
    for (const listener of listeners) {
      if (before.get(name)?.includes(listener)) continue
      process.removeListener(name, /** @type {any} */ (listener))
      if (name === 'exit') listener(process.exitCode ?? 0)
    }
  }
}
