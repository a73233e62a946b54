/** A process and what it has started: `npm test` hands no signal on to what its shell runs. Windows, which has no such shell, knows only the process. */
import { execFile, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Systems without `/proc` have `pgrep`. */
const tree = `
children() {
  if [ -d /proc/self ]; then grep -l "^PPid:[[:space:]]*$1\\$" /proc/[0-9]*/status | cut -d / -f 3
  else pgrep -P "$1"; fi
}
tree() {
  echo "$1"
  for child in $(children "$1"); do tree "$child"; done
}`

/** Reads the PID, then waits for the end of its input, which comes with a line where all is well, and without one where this process was killed. */
const watch = `${tree}
read -r pid || exit
read -r line || {
  all=$(tree "$pid")
  kill -TERM $all
  sleep 2
  kill -KILL $all
} 2>/dev/null`

/** The process, and all below it that run now. */
export async function processTree(pid: number): Promise<readonly number[]> {
  if (process.platform === 'win32') return [pid]
  // Without the shell nothing is known of what it has started.
  const { stdout } = await run('/bin/sh', ['-c', `${tree}\ntree "$1" 2>/dev/null`, 'svc', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return [pid, ...stdout.trim().split('\n').slice(1).map(Number)]
}

/** Sends it to those that still run. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) reaches(pid, signal)
}

/** Resolves once none of them runs, or after so many milliseconds. */
export async function untilEnded(pids: readonly number[], mostMilliseconds: number): Promise<void> {
  const end = performance.now() + mostMilliseconds
  while (pids.some((pid) => reaches(pid, 0)) && performance.now() < end) await pause(20)
}

function reaches(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Ends a child process and those below it if this one is killed. */
export interface ProcessWatch {
  begin(pid: number): void
  callOff(): void
}

/**
 * This process cannot see its own end coming: a shell waits for that. It is started before the child, which runs unwatched only
 * until it is named.
 */
export function openProcessWatch(): ProcessWatch {
  if (process.platform === 'win32') return { begin: () => undefined, callOff: () => undefined }
  const watching = spawn('/bin/sh', ['-c', watch], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // What is sent to the whole group at a terminal, Ctrl-C above all, is not for it.
    detached: true,
  })
  // Without the shell the child is as safe as any other.
  watching.on('error', () => undefined)
  watching.stdin.on('error', () => undefined)
  watching.unref()
  let end = ''
  return {
    begin(pid) {
      watching.stdin.write(`${pid}\n`)
      end = 'done\n'
    },
    callOff: () => void watching.stdin.end(end),
  }
}
