/** `svc dev --detach`: the same command in the background. */
import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { CliFailure, exits } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { type EmulatorInfo, readEmulatorFile } from '../target/emulator-file.js'

const betweenLooksMilliseconds = 25

export interface Detached {
  readonly info: EmulatorInfo
  /** Whether commands in the folder speak to another emulator. */
  readonly isBeside: boolean
}

/**
 * Starts `svc dev` with these words in a process of its own, which stays when this one ends, and waits until it answers.
 * What it says is in `dev.log` of the state folder; one that cannot start leaves the log of the one that runs alone.
 *
 * @throws {CliFailure} as the process would, if it ends before it is ready; `INTERRUPTED` at a signal, which ends that process, too
 */
export async function startDetached(
  words: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Detached> {
  const { makeStateFolder } = await import('../../emulator/database/pglite/folder-place.js')
  await makeStateFolder(folder)
  const log = join(folder, `dev.${process.pid}.log`)
  // Neither one of a process that was killed, nor a link that came with a cloned folder: contract 12.4.
  await rm(log, { force: true })
  const stop = stopSignal()
  const output = openSync(log, 'wx', 0o600)
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'dev', ...words, '--json'], {
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  })
  child.unref()
  let hasEnded = false
  child.once('exit', () => {
    hasEnded = true
  })
  // The process is in no group of the terminal's, which sends a signal to this one alone.
  stop.signal.addEventListener('abort', () => child.kill(), { once: true })
  try {
    for (;;) {
      const info = stop.signal.aborted ? undefined : readyIn(log)
      if (info) {
        await rename(log, join(folder, 'dev.log'))
        return { info, isBeside: readEmulatorFile(join(folder, 'emulator.json'))?.pid !== info.pid }
      }
      if (hasEnded) throw stop.signal.aborted ? await stoppedWith(log, stop.exit()) : await failureIn(log)
      await wait(betweenLooksMilliseconds)
    }
  } finally {
    stop.release()
  }
}

async function stoppedWith(log: string, exit: number): Promise<CliFailure> {
  await rm(log, { force: true })
  return new CliFailure('INTERRUPTED', exit, 'Stopped; nothing runs in the background.')
}

/** What `svc dev --json` says first, once it answers. */
function readyIn(log: string): EmulatorInfo | undefined {
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
  const ready = lines.map(parseJson).find((line) => isObject(line) && line.type === 'ready')
  if (!isObject(ready)) return undefined
  const { type: _, ...info } = ready
  return info as unknown as EmulatorInfo
}

/** What the process said last, which under --json is why it ended. */
async function failureIn(log: string): Promise<CliFailure> {
  try {
    const text = readFileSync(log, 'utf8')
    const { code, exit, message, hint } = JSON.parse(text.slice(text.lastIndexOf('{\n  "error"'))).error
    await rm(log)
    return new CliFailure(code, exit, message, hint ?? undefined)
  } catch {
    return new CliFailure('NOT_STARTED', exits.failed, 'It ended before it was ready.', `See its output: ${log}`)
  }
}
