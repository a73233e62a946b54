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

const pollMilliseconds = 25

export interface Detached {
  readonly info: EmulatorInfo
  /** Whether commands in the folder talk to another emulator. */
  readonly isBeside: boolean
}

/**
 * Starts `svc dev` with these arguments in a background process, and waits until it is ready. Its output goes to `dev.log` in
 * the state folder. A failed start does not touch the log of a running emulator.
 *
 * @throws {CliFailure} the failure of the process, if it ends before it is ready; `INTERRUPTED` at a signal, which ends it too
 */
export async function startDetached(
  words: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Detached> {
  const { makeStateFolder } = await import('../../emulator/database/pglite/folder-place.js')
  await makeStateFolder(folder)
  const log = join(folder, `dev.${process.pid}.log`)
  // Removes the log of a killed process, or a link that came with a cloned folder: contract 12.4.
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
  // Passes the signal on, because the terminal sends it to the foreground process only.
  stop.signal.addEventListener('abort', () => child.kill(), { once: true })
  try {
    for (;;) {
      const info = stop.signal.aborted ? undefined : readInfo(log)
      if (info) {
        await rename(log, join(folder, 'dev.log'))
        return { info, isBeside: readEmulatorFile(join(folder, 'emulator.json'))?.pid !== info.pid }
      }
      if (hasEnded) throw stop.signal.aborted ? await interrupted(log, stop.exit()) : await readFailure(log)
      await wait(pollMilliseconds)
    }
  } finally {
    stop.release()
  }
}

async function interrupted(log: string, exit: number): Promise<CliFailure> {
  await rm(log, { force: true })
  return new CliFailure('INTERRUPTED', exit, 'Stopped. Nothing runs in the background.')
}

/** Reads the line that `svc dev --json` prints first when it is ready. */
function readInfo(log: string): EmulatorInfo | undefined {
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
  const ready = lines.map(parseJson).find((line) => isObject(line) && line.type === 'ready')
  if (!isObject(ready)) return undefined
  const { type: _, ...info } = ready
  return info as unknown as EmulatorInfo
}

/** Reads the last output of the process, which with --json is its failure. */
async function readFailure(log: string): Promise<CliFailure> {
  try {
    const text = readFileSync(log, 'utf8')
    const { code, exit, message, hint } = JSON.parse(text.slice(text.lastIndexOf('{\n  "error"'))).error
    await rm(log)
    return new CliFailure(code, exit, message, hint ?? undefined)
  } catch {
    return new CliFailure(
      'NOT_STARTED',
      exits.failed,
      'The emulator exited before it was ready.',
      `See its log: ${log}`,
    )
  }
}
